import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOpenPath } from '../../../local-bridge/tools/workspace/closed-names.ts';
import { holdsFor } from '../../support/property.ts';

/** Never opened at all. */
const secret = [
  ...['.env', '.env.local', '.envrc', 'app/.env.production', '.dev.vars', '.dev.vars.staging'],
  ...['.ssh/config', 'home/.ssh/id_ed25519', 'keys/id_rsa', '.aws/credentials', '.gnupg/x', '.kube/config'],
  ...['server.key', 'certs/a.pem', 'x.p12', 'x.pfx', 'x.jks', 'p.kdbx', 'putty.ppk', 'a.keystore', '.key'],
  ...['.netrc', '_netrc', '.npmrc', '.pypirc', '.git-credentials', '.pgpass', '.docker/config.json'],
  ...['secrets/a', 'a/secrets/b/c', '.config/gcloud/x', '.config/gh/hosts.yml', 'Library/Keychains/login.db'],
  ...['.git/config', 'sub/.git/config', '.git/modules/x/config', '.git/config.worktree', '.git/FETCH_HEAD'],
  ...['.bowline', '.bowline/credentials.json', 'x/.bowline/undo/a'],
];

/** Read, but never written. */
const autorun = [
  ...['.git', '.git/hooks/pre-commit', '.git/HEAD', '.git/info/exclude', 'sub/.git/hooks/x', '.gitmodules'],
  ...[
    '.vscode/tasks.json',
    '.vscode',
    '.idea/workspace.xml',
    '.mcp.json',
    'sub/.mcp.json',
    '.cursor/mcp.json',
  ],
  ...['.bashrc', '.bash_profile', '.zshrc', '.zshenv', '.zprofile', '.profile', '.config/fish/config.fish'],
  ...['.husky/pre-commit', '.githooks/x', '.pre-commit-config.yaml', 'lefthook.yml', '.devcontainer/x.json'],
  ...['a.code-workspace', '.claude/settings.json', '.claude/settings.local.json', '.claude/hooks/x.sh'],
  ...[
    '.claude/commands/a.md',
    '.claude/agents/a.md',
    '.claude/anything-new',
    'sub/.claude/skills/x/SKILL.md',
  ],
  ...[
    '.zed/tasks.json',
    '.devcontainer.json',
    'sub/.vs/tasks.vs.json',
    '.helix/languages.toml',
    'opencode.json',
  ],
  ...['.hg/hgrc', '.jj/repo/config.toml', '.bazelrc', '.mvn/jvm.config', '.cargo/config.toml', 'mise.toml'],
  ...['.pre-commit-config.yml', 'lefthook-local.yml', '.overcommit.yml', '.yarn/releases/yarn.cjs'],
  ...['.yarnrc.yml', '.pnpmfile.cjs', 'Library/LaunchAgents/x.plist', '.config/autostart/x.desktop'],
  ...['.config/systemd/user/x.service', 'Microsoft.PowerShell_profile.ps1', '.bowline-0011.tmp', '.exrc'],
  ...['.cline/mcp.json', '.clinerules/hooks/PreToolUse', '.factory/settings.json', '.config/starship.toml'],
];

const open = [
  ...['.', 'README.md', 'src/app.py', '.gitignore', '.github/workflows/ci.yml', 'package.json', 'Makefile'],
  ...['environment.ts', 'env/x', 'src/env.ts', 'config', 'hooks/x', 'git/config', 'id_rsa.pub', 'key.ts'],
  ...[
    'secrets.ts',
    'bowline/x',
    'src/.claude/memory/a.jsonl',
    '.claude/worktrees/x/a.ts',
    '.claude',
    'vscode/x',
    'pem',
  ],
  ...['.clinerules/style.md', 'starship.toml', 'kitty/x'],
  ...['.editorconfig', '.prettierrc', '.docker/Dockerfile', '.config/app.json', 'settings.json', 'monkey.js'],
];

const inAnyCase = (path: string) => [
  path,
  path.toUpperCase(),
  path.replace(/[a-z]/g, (letter, i: number) => (i % 2 ? letter.toUpperCase() : letter)),
  path.replace(/[a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)),
];

describe('names', () => {
  it.each(secret.flatMap(inAnyCase))('%j is neither read nor written', (path) => {
    expect([isOpenPath(path, 'read'), isOpenPath(path, 'write')]).toEqual([false, false]);
  });

  it.each(autorun.flatMap(inAnyCase))('%j is not written', (path) => {
    expect(isOpenPath(path, 'write')).toBe(false);
  });

  it.each(autorun)('%j is read', (path) => {
    expect(isOpenPath(path, 'read')).toBe(true);
  });

  it.each(open)('%j is open', (path) => {
    expect([isOpenPath(path, 'read'), isOpenPath(path, 'write')]).toEqual([true, true]);
  });

  it('stay closed wherever they are, and with all that is below them', () => {
    const name = fc.constantFrom('a', 'src', 'x.ts', '.hidden');
    const around = fc.tuple(fc.array(name, { maxLength: 3 }), fc.array(name, { maxLength: 3 }));
    holdsFor(
      fc.tuple(around, fc.constantFrom('.env', '.ssh', '.Bowline', 'SECRETS', '.vscode', '.GIT')),
      (one) => {
        const [[before, after], closed] = one;
        expect(isOpenPath([...before, closed, ...after].join('/'), 'write')).toBe(false);
      },
    );
  });

  it('are no more open to writing than to reading', () => {
    const name = fc.oneof(fc.constantFrom(...secret, ...autorun, ...open), fc.string({ maxLength: 8 }));
    holdsFor(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
      const path = names.join('/');
      expect(isOpenPath(path, 'write') && !isOpenPath(path, 'read')).toBe(false);
    });
  });
});
