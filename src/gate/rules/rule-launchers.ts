import type { ArgvMatch, RuleProblem } from './rule.ts';

/**
 * Programs that run what they are given. A rule for `bash` with anything after it is a rule for everything,
 * so a rule may allow these only as one whole command, fixed to the last word. Such a list is never complete.
 * It catches the well-known ways to allow more than the owner meant. The person who writes the rule, and the
 * sandbox, must contain the rest.
 */
const LAUNCHERS: ReadonlySet<string> = new Set(
  [
    // Shells, and the words with which a shell runs something else.
    'sh bash zsh dash ash ksh mksh csh tcsh fish nu elvish xonsh pwsh powershell cmd busybox toybox',
    'eval exec source . command builtin coproc trap alias enable',
    // Programs that start another program: as another user, later, elsewhere, or watched.
    'env sudo su doas pkexec runuser setpriv setsid nohup timeout gtimeout stdbuf nice ionice chroot unshare',
    'nsenter flock time watch xargs parallel entr script expect unbuffer strace ltrace gdb lldb valgrind perf',
    'systemd-run launchctl at batch crontab tmux screen ssh mosh sshpass caffeinate arch open xdg-open find',
    'osascript automator shortcuts',
    // Interpreters, and text tools whose own programs can write files and run commands.
    'node nodejs deno bun tsx ts-node python pythonw pypy perl ruby irb php lua luajit tclsh wish r rscript julia',
    'ghci runghc scala groovy jshell java dotnet elixir erl escript raku guile racket clojure bb swift',
    'awk gawk mawk nawk sed gsed ed ex vi vim nvim emacs less more man sqlite psql mysql mariadb',
    // Runners of packages and of a project's own scripts, where one more word selects another script.
    'npx bunx pnpx uvx pipx yarn make gmake just task rake gulp grunt tar bsdtar',
  ].flatMap((words) => words.split(' ')),
);

/** Programs of which only some commands start other programs. */
const LAUNCHING_COMMANDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    npm: [
      'exec',
      'x',
      'run',
      'run-script',
      'install',
      'i',
      'add',
      'config',
      'set',
      'explore',
      'init',
      'create',
    ],
    pnpm: ['exec', 'dlx', 'run', 'install', 'i', 'add', 'config', 'create'],
    pip: ['install', 'download', 'wheel', 'config'],
    uv: ['run', 'tool', 'pip', 'add'],
    poetry: ['run', 'add', 'config'],
    gem: ['install', 'exec'],
    bundle: ['exec', 'config'],
    cargo: ['run', 'install'],
    go: ['run', 'generate', 'install', 'tool', 'env'],
    git: ['config', 'submodule', 'bisect', 'filter-branch', 'hook', 'send-email', 'shell'],
    gh: ['alias', 'extension', 'codespace'],
    docker: ['run', 'exec', 'compose', 'build', 'container', 'buildx'],
    podman: ['run', 'exec', 'compose', 'build', 'container'],
    kubectl: ['run', 'exec', 'debug', 'config'],
    brew: ['install', 'sh', 'ruby', 'tap'],
  }),
);

/** Tells if a command may run another one than its first words say. Only known programs count. */
export function mayRunAnother(argv: readonly string[]): boolean {
  return argvProblem({ argv, options: [], operands: 'any', fields: {} }) !== undefined;
}

const PROGRAM = /^[\w.][\w.+-]*$/;

/** Tells why a rule should not allow a command by its first words. Gives `undefined` if it may. */
export function argvProblem({ argv, options, operands }: Omit<ArgvMatch, 'kind'>): RuleProblem | undefined {
  const [program = '', command] = argv;
  if (!PROGRAM.test(program)) {
    return {
      code: 'bad_program',
      message: `\`${program}\` is not the name of a program: assignments and paths are not allowed by a rule.`,
      suggestion: 'Name the program as it is found on the PATH, such as `git`.',
    };
  }
  const badOption = options.find((option) => !/^--?[^-\s]\S*$/.test(option));
  if (badOption !== undefined) {
    return {
      code: 'bad_option',
      message: `\`${badOption}\` is not an option.`,
      suggestion: 'List options as they are typed, such as `-n`, `--stat` or `--max-count=`.',
    };
  }
  const name = plainName(program);
  const commands = LAUNCHING_COMMANDS.get(name);
  const launcher = LAUNCHERS.has(name)
    ? [program]
    : commands?.some((launching) => launching === command)
      ? [program, command]
      : [];
  const isFixed = operands === 'none' && options.length === 0 && argv.length > launcher.length;
  if (launcher.length > 0 && !isFixed) {
    return {
      code: 'launcher',
      message: `\`${launcher.join(' ')}\` runs whatever it is given, so its first words say nothing about the rest.`,
      suggestion: 'Write the whole command, with no operands and no options left open.',
    };
  }
  if (commands && operands === 'any' && (command === undefined || command.startsWith('-'))) {
    return {
      code: 'open_command',
      message: `\`${program}\` has commands that run whatever they are given, and the rule leaves open which.`,
      suggestion: 'Name the command right after the program.',
    };
  }
  return undefined;
}

/** Gives one name for all spellings of a program: some systems ignore case, or keep several versions side by side. */
export function plainName(program: string): string {
  return program
    .toLowerCase()
    .replace(/\.exe$/, '')
    .replace(/(?<=[a-z])[-.\d]+$/, '');
}
