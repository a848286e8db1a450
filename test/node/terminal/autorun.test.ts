import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInTerminal } from '../../../contracts/terminal.ts';
import { surveyAutorun } from '../../../local-bridge/tools/terminal/autorun-survey.ts';
import { isUnavailable, sessionOnly } from '../../../local-bridge/tools/terminal/confine.ts';
import { openNamespace } from '../../../local-bridge/tools/terminal/namespace.ts';
import { openSystemSandbox } from '../../../local-bridge/tools/terminal/sandbox.ts';
import type { Result } from '../../../src/core/call.ts';
import { envelopeIn, hasSandbox, openRig, type Rig, tempFolder } from './rig.ts';

const hasNamespace = (() => {
  const home = mkdtempSync(join(tmpdir(), 'bowline-probe-'));
  const found = openNamespace(home);
  rmSync(home, { recursive: true });
  return !isUnavailable(found);
})();

interface Way {
  readonly name: string;
  readonly missing: string | undefined;
  /** Whether what exists already cannot be changed. */
  readonly holds: boolean;
  open(): Promise<Rig>;
}

const environment = [
  'LD_LIBRARY_PATH',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
];
const env = {
  LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH,
  ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com' },
  ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com' },
};

const ways: readonly Way[] = [
  {
    name: 'in the sandbox of the system',
    missing: hasSandbox ? undefined : 'bwrap and socat are not installed, or not allowed here',
    holds: true,
    open: () => openRig({ openSandbox: openSystemSandbox, settings: { environment }, env }),
  },
  {
    name: 'in namespaces',
    missing: hasNamespace ? undefined : 'this system makes no namespaces for this user',
    holds: true,
    open: () => openRig({ settings: { environment }, env }),
  },
  {
    name: 'in a plain session',
    missing: undefined,
    holds: false,
    open: () => openRig({ settings: { environment }, env, fallback: sessionOnly }),
  },
];

interface Found {
  readonly path: string;
  readonly outcome: string;
  readonly moved_to?: string;
}

function foundIn(result: Result): readonly Found[] {
  return (envelopeIn(result).metadata.runs_by_itself ?? []) as readonly Found[];
}

const outcomes = (result: Result) =>
  Object.fromEntries(foundIn(result).map(({ path, outcome }) => [path, outcome]));

/** What the attacks make, each in a folder that the owner uses. */
const PLANTS = [
  ...[
    '.vscode/tasks.json',
    'app/.vscode/tasks.json',
    'app/deep/er/.vscode/tasks.json',
    '.idea/workspace.xml',
  ],
  ...['app/.envrc', '.husky/pre-commit', '.claude/settings.json', 'app/.claude/settings.local.json'],
  ...['.devcontainer.json', 'app/.devcontainer/devcontainer.json', '.cursor/mcp.json', '.zed/tasks.json'],
  ...['.mcp.json', 'app/.mcp.json', '.pre-commit-config.yaml', 'app/.npmrc', '.yarnrc.yml', '.bazelrc'],
  ...['.VSCode/tasks.json', '.git/hooks/pre-commit', 'lib/.git/hooks/post-checkout', '.hg/hgrc', 'mise.toml'],
];

/** The part of a planted path that is named in the answer. */
function namedPart(path: string): string {
  const names = path.split('/');
  if (names.includes('.git') || names.includes('.hg')) return path;
  const at = names.findIndex(
    (name, i) => name.startsWith('.') && !(name === '.claude' && i + 1 < names.length),
  );
  const end = names.includes('.claude')
    ? names.indexOf('.claude') + 1
    : names.indexOf('mise.toml') >= 0
      ? names.length
      : at;
  return end < 0 ? path : names.slice(0, end + 1).join('/');
}

describe.each(ways)(
  'what other programs run or obey, made by a command $name',
  ({ missing, holds, open }) => {
    const used = async () => {
      const rig = await open();
      for (const folder of ['app/deep/er', 'lib']) mkdirSync(join(rig.root, folder), { recursive: true });
      for (const repo of ['.', 'lib']) execFileSync('git', ['init', '-q', repo], { cwd: rig.root });
      const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
      execFileSync('git', [...identity, 'commit', '-q', '--allow-empty', '-m', 'x'], {
        cwd: join(rig.root, 'lib'),
      });
      return rig;
    };
    const whyNot = missing === undefined ? '' : ` (skipped: ${missing})`;
    const test = it.skipIf(missing !== undefined);

    test(`is moved out of folders that were there before, and named${whyNot}`, async () => {
      const { run, root, home } = await used();
      const script = PLANTS.map(
        (path) => `mkdir -p '${dirname(path)}'; echo evil >'${path}'; chmod +x '${path}'`,
      );
      const result = await run(`(${script.join('\n')}) 2>/dev/null; true`);
      expect(PLANTS.filter((path) => existsSync(join(root, path)))).toEqual([]);
      // What could not be written at all needs no naming: the hooks of repositories that were there.
      const wrote = holds ? PLANTS.filter((path) => !path.includes('.git/')) : PLANTS;
      const found = foundIn(result);
      expect(found.map(({ path }) => path).sort()).toEqual(wrote.map(namedPart).sort());
      for (const { path, outcome, moved_to } of found) {
        expect(outcome).toBe('moved_aside');
        expect(moved_to).toContain(`${home}/set-aside/`);
        expect(existsSync(moved_to ?? '')).toBe(true);
        expect(envelopeIn(result).output).toContain(path);
      }
      expect(envelopeIn(result).output.split('\n')[0]).toMatch(/^Warning: .*run or obey by themselves/);
      expect(runInTerminal.output.safeParse(envelopeIn(result)).success).toBe(true);
    });

    test(`stays in folders that the command made, and is named; git's hooks and settings do not${whyNot}`, async () => {
      const { run, root } = await used();
      const result = await run(
        [
          'mkdir -p new/.vscode && echo evil >new/.vscode/tasks.json',
          'git init -q new && echo evil >new/.git/hooks/pre-commit && git -C new config core.fsmonitor evil',
          'git init -q --bare bare && git -C bare config core.fsmonitor evil',
          'git init -q plain',
          'mkdir -p other && echo "gitdir: $TMPDIR/x" >other/.git',
          'mkdir away && mkdir linked && ln -s ../away linked/.claude',
          'git init -q odd && printf "[core] pager = evil\\n" >odd/.git/config',
          'mkdir -p alike/objects alike/refs && echo ref: refs/heads/main >alike/HEAD && printf "[core]\\n\\tpager = evil" >alike/config',
        ].join('\n'),
      );
      expect(outcomes(result)).toEqual({
        'new/.vscode': 'left',
        'linked/.claude': 'left',
        ...{ 'new/.git/hooks/pre-commit': 'moved_aside', 'new/.git/config': 'moved_aside' },
        ...{ 'bare/config': 'moved_aside', 'other/.git': 'moved_aside' },
        ...{ 'odd/.git/config': 'moved_aside', 'alike/config': 'moved_aside' },
      });
      expect(existsSync(join(root, 'plain/.git/config'))).toBe(true);
    });

    test(`is unchanged if it was there, or named as changed${whyNot}`, async () => {
      const { run, root } = await used();
      const places = [
        '.git/hooks/pre-push',
        'lib/.git/config',
        'app/.vscode/tasks.json',
        'app/deep/.mcp.json',
        'ours/pre-commit',
      ];
      for (const path of places) mkdirSync(dirname(join(root, path)), { recursive: true });
      for (const path of places) writeFileSync(join(root, path), '# good\n');
      // Hooks lie where git's settings say.
      writeFileSync(join(root, '.git/config'), '[core]\n\thooksPath = ours\n');
      mkdirSync(join(root, 'conf'));
      writeFileSync(join(root, 'conf/tasks.json'), '# good\n');
      symlinkSync('../conf', join(root, 'lib/.zed'));
      const targets = [...places, 'conf/tasks.json'];
      const result = await run(
        `(${targets.map((path) => `printf '[alias]x=!evil' >'${path}'`).join('\n')}) 2>/dev/null; true`,
      );
      const after = targets.map((path) => readFileSync(join(root, path), 'utf8'));
      if (holds) {
        expect(after).toEqual(targets.map(() => '# good\n'));
        expect(foundIn(result)).toEqual([]);
        return;
      }
      expect(outcomes(result)).toEqual({
        ...{ '.git/hooks/pre-push': 'changed', 'lib/.git/config': 'changed', 'app/.vscode': 'changed' },
        ...{ 'app/deep/.mcp.json': 'changed', ours: 'changed', conf: 'changed' },
      });
    });

    test(`cannot be put in its place by moving what holds it${whyNot}`, async () => {
      const { run, root } = await used();
      mkdirSync(join(root, 'app/.vscode'));
      writeFileSync(join(root, 'app/.vscode/tasks.json'), 'good');
      const result = await run(
        'mv app app2 2>/dev/null && mkdir -p app/.vscode && echo evil >app/.vscode/tasks.json; mv .git .git2 2>/dev/null && git init -q . && echo evil >.git/hooks/pre-commit; true',
      );
      const text = (path: string) =>
        existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
      const named = outcomes(result);
      if (text('app/.vscode/tasks.json') !== 'good') expect(named['app/.vscode']).toBeDefined();
      expect(text('.git/hooks/pre-commit')).toBe('');
    });

    test(`does not hide in a folder that cannot be read, nor behind names that are not UTF-8${whyNot}`, async () => {
      const { run } = await used();
      const result = await run(`mkdir -p "$(printf 'x\\377')/.vscode"; mkdir -p shut/.vscode; chmod 0 shut`);
      const { output } = envelopeIn(result);
      expect(output).toMatch(
        /could not be searched for such files: .*x\ufffd|could not be searched for such files: .*u\{fffd\}/,
      );
      if (process.getuid?.() !== 0) expect(output).toContain('shut');
      await run('chmod 700 shut');
    });

    test(`is moved aside where a link or setting that was there already leads to it${whyNot}`, async () => {
      const { run, root } = await used();
      symlinkSync('conf', join(root, '.zed'));
      symlinkSync('src', join(root, '.vscode'));
      writeFileSync(join(root, '.git/config'), '[core]\n\thooksPath = ours\n');
      mkdirSync(join(root, 'src'));
      const result = await run(
        'mkdir conf ours; echo evil >conf/tasks.json; echo evil >ours/pre-commit; ln -s src .idea; rm .vscode; mkdir .vscode',
      );
      expect(outcomes(result)).toEqual({
        ...{ conf: 'moved_aside', ours: 'moved_aside' },
        ...{ '.idea': 'moved_aside', '.vscode': 'moved_aside' },
      });
      expect(existsSync(join(root, 'src'))).toBe(true);
    });

    test(`leaves ordinary work alone${whyNot}`, async () => {
      const { run, root, base } = await used();
      const package_ = join(base, 'package');
      mkdirSync(join(package_, '.vscode'), { recursive: true });
      writeFileSync(join(package_, '.vscode/settings.json'), '{}');
      writeFileSync(join(package_, 'package.json'), '{"name":"p","version":"1.0.0"}');
      execFileSync('tar', ['-czf', join(root, 'p.tgz'), '-C', base, 'package']);
      writeFileSync(join(root, 'package.json'), '{"name":"app","private":true}');
      const steps = [
        'git add package.json && git commit -qm one && git log --oneline | wc -l',
        'git clone -q . copy && git -C copy log --oneline | wc -l && git -C copy fetch -q',
        'git init -q fresh && git -C fresh commit -q --allow-empty -m x',
        'git checkout -q -b topic && git worktree add -q side && git -C side status -s',
      ];
      for (const step of steps) {
        const answer = envelopeIn(await run(step));
        expect(answer.output).toMatch(/^Command output:/);
        expect(answer.success).toBe(true);
      }
      const install = await run({
        command:
          'npm_config_cache=$TMPDIR/npm HOME=$TMPDIR npm install --offline --no-audit --no-fund ./p.tgz 2>&1',
        timeout_seconds: 120,
      });
      expect(envelopeIn(install).success).toBe(true);
      expect(existsSync(join(root, 'node_modules/p/.vscode/settings.json'))).toBe(true);
      expect(outcomes(install)).toEqual({ 'node_modules/p/.vscode': 'left' });
    });

    test(`has nothing odd put in its place while a command runs${whyNot}`, async () => {
      const { run } = await used();
      const listed = envelopeIn(await run('ls -A; git add -A 2>/dev/null && git status --porcelain')).output;
      expect(listed).toBe('Command output:\n.git\napp\nlib\nA  lib\n');
    });
  },
);

describe('a look at the open folders', () => {
  it('stops at a number of folders, nearest first and packages last, and says where', async () => {
    const root = tempFolder();
    for (const path of ['a/b/c/.vscode', 'node_modules/x/.vscode', 'b/.zed'])
      mkdirSync(join(root, path), { recursive: true });
    const { found, unseen } = await surveyAutorun([root], [], 3);
    expect([...found.keys()]).toEqual([join(root, 'b/.zed')]);
    expect(unseen).toContain(join(root, 'node_modules'));
  });
});
