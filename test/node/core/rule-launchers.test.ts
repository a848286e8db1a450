import { describe, expect, it } from 'vitest';
import { argvProblem } from '../../../src/gate/rules/rule-launchers.ts';

const codeOf = (
  argv: readonly string[],
  operands: 'none' | 'any' = 'none',
  options: readonly string[] = [],
) => argvProblem({ argv, options, operands, fields: {} })?.code;

describe('a command that a rule allows', () => {
  it.each([
    [['git', 'status'], 'any'],
    [['git', 'log', '-n'], 'any'],
    [['npm', 'test'], 'any'],
    [['npm', 'test', '--'], 'any'],
    [['ls'], 'any'],
    [['cat'], 'any'],
    [['go', 'test'], 'any'],
    [['cargo', 'test'], 'any'],
    [['g++-12'], 'any'],
    [['7z', 'l'], 'any'],
    [['clang-format'], 'any'],
    [['git'], 'none'],
    [['git', '--version'], 'none'],
    [['npm', 'run', 'build'], 'none'],
    [['node', 'build.js'], 'none'],
    [['node', '--version'], 'none'],
    [['bash', '-c', 'git status | head'], 'none'],
    [['sudo', 'systemctl', 'restart', 'nginx'], 'none'],
    [['.', './env.sh'], 'none'],
    [['constructor', 'x'], 'any'],
    [['s.exeh'], 'any'],
    [['no1de'], 'any'],
  ] as const)('may be %j with operands %s', (argv, operands) => {
    expect(codeOf(argv, operands)).toBeUndefined();
  });

  const launchers =
    'sh bash zsh dash fish env sudo doas xargs nohup timeout ssh node deno bun python perl ruby php npx bunx pnpx uvx osascript eval exec find awk sed';
  it.each(launchers.split(' '))('is whole if it is of %s', (program) => {
    expect(codeOf([program], 'any')).toBe('launcher');
    expect(codeOf([program, 'x'], 'any')).toBe('launcher');
    expect(codeOf([program], 'none')).toBe('launcher');
    expect(codeOf([program, 'x'], 'none', ['-x'])).toBe('launcher');
    expect(codeOf([program, 'x'], 'none')).toBeUndefined();
  });

  it.each([
    'BASH',
    'Python',
    'python3',
    'python3.12',
    'pypy3',
    'perl5.36',
    'php8.3',
    'ruby3.2',
    'lua5.4',
    'node22',
    'node-22',
    'bash.exe',
    'Python3.EXE',
    'python3.exe',
    'sqlite3',
    'tclsh8.6',
    '.',
    'source',
    'command',
    'swift',
  ])('is whole if it is of %s, which is one of those by another name', (program) => {
    expect(codeOf([program, 'x'], 'any')).toBe('launcher');
  });

  const commands = {
    npm: 'exec x run run-script install i add config set explore init create',
    pnpm: 'exec dlx run install i add config create',
    pip: 'install download wheel config',
    pip3: 'install',
    uv: 'run tool pip add',
    poetry: 'run add config',
    gem: 'install exec',
    bundle: 'exec config',
    cargo: 'run install',
    go: 'run generate install tool env',
    git: 'config submodule bisect filter-branch hook send-email shell',
    gh: 'alias extension codespace',
    docker: 'run exec compose build container buildx',
    podman: 'run exec compose build container',
    kubectl: 'run exec debug config',
    brew: 'install sh ruby tap',
  };
  it.each(
    Object.entries(commands).flatMap(([program, names]) =>
      names.split(' ').map((name): [string, string] => [program, name]),
    ),
  )('is whole if it is of %s %s', (program, name) => {
    expect(codeOf([program, name], 'any')).toBe('launcher');
    expect(codeOf([program, name, 'x'], 'any')).toBe('launcher');
    expect(codeOf([program, name], 'none')).toBe('launcher');
    expect(codeOf([program, name, 'x'], 'none', ['-x'])).toBe('launcher');
    expect(codeOf([program, name, 'x'], 'none')).toBeUndefined();
    expect(codeOf([program, 'other', name], 'any')).toBeUndefined();
    // The word that follows could be that one.
    expect(codeOf([program], 'any')).toBe('open_command');
    expect(codeOf([program, '-C', 'x'], 'any')).toBe('open_command');
    expect(codeOf([program, '-C', 'x'], 'none', ['-x'])).toBeUndefined();
  });

  it.each([
    'A=1',
    '/bin/ls',
    './run',
    'bin/run',
    '-x',
    '',
    '--',
    'a b',
    'ls;',
    '$x',
    'ä',
    '~',
    '+x',
    '\n',
    'ls\n',
  ])('is of a program by its plain name, not %j', (program) => {
    expect(codeOf([program, 'x'])).toBe('bad_program');
  });

  it('has a program', () => {
    expect(argvProblem({ argv: [], options: [], operands: 'any', fields: {} })?.message).toMatch(
      /^`` is not/,
    );
  });

  it.each(['', '-', '--', 'x', '---', '---x', '- x', '--a b', '-a\n', ' -x', 'x-y'])(
    'may list no option like %j',
    (option) => {
      expect(codeOf(['ls'], 'any', ['-l', option])).toBe('bad_option');
    },
  );

  it('may list options', () => {
    expect(
      codeOf(['ls'], 'any', ['-l', '-la', '--all', '--sort=', '--sort=size', '-1', '-n=3']),
    ).toBeUndefined();
  });

  it('is told what is wrong with it', () => {
    const say = (argv: readonly string[], options: readonly string[] = []) => {
      const { message, suggestion } = argvProblem({ argv, options, operands: 'any', fields: {} }) ?? {};
      return [message, suggestion];
    };
    expect(say(['./x'])).toEqual([
      '`./x` is not the name of a program: assignments and paths are not allowed by a rule.',
      'Name the program as it is found on the PATH, such as `git`.',
    ]);
    expect(say(['ls'], ['x'])).toEqual([
      '`x` is not an option.',
      'List options as they are typed, such as `-n`, `--stat` or `--max-count=`.',
    ]);
    expect(say(['Python3', 'x'])).toEqual([
      '`Python3` runs whatever it is given, so its first words say nothing about the rest.',
      'Write the whole command, with no operands and no options left open.',
    ]);
    expect(say(['npm', 'run', 'x'])[0]).toBe(
      '`npm run` runs whatever it is given, so its first words say nothing about the rest.',
    );
    expect(say(['git'])).toEqual([
      '`git` has commands that run whatever they are given, and the rule leaves open which.',
      'Name the command right after the program.',
    ]);
  });
});
