import { folded } from './path-rules.ts';

/** What a tool wants with a path. */
export type Access = 'read' | 'write';

interface Names {
  /** A file or a folder of such a name, at any depth, with all that is below it. */
  readonly anywhere: ReadonlySet<string>;
  /** The same for names that begin so. */
  readonly beginnings: readonly string[];
  readonly endings: readonly string[];
  /** A name directly below another. */
  readonly below: ReadonlyMap<string, readonly string[]>;
}

/** Keys, tokens and passwords by their usual names, and Bowline's own state: never opened at all. */
const secrets: Names = {
  anywhere: new Set([
    ...['.bowline', '.ssh', '.gnupg', '.aws', '.azure', '.kube', '.password-store', 'keychains', 'secrets'],
    ...['.netrc', '_netrc', '.git-credentials', '.npmrc', '.pypirc', '.pgpass', '.my.cnf', '.htpasswd'],
    ...['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', 'id_ecdsa_sk', 'id_ed25519_sk', '.vault-token'],
  ]),
  // Wrangler keeps secrets for development in `.dev.vars`.
  beginnings: ['.env', '.dev.vars'],
  endings: ['.pem', '.key', '.p12', '.pfx', '.jks', '.keystore', '.kdbx', '.ppk'],
  below: new Map([
    ['.docker', ['config.json']],
    ['.config', ['gcloud', 'gh', 'git']],
  ]),
};

/**
 * What runs without anybody asking for it to: when a shell starts, a folder is opened in an editor or
 * entered, git or an agent is used, or the owner signs in. A script the owner runs by name is not here.
 */
const autorun: Names = {
  anywhere: new Set([
    // Git runs hooks and whatever its configuration names; a `.git` file can point to a folder with both.
    ...['.git', '.gitconfig', '.gitmodules', '.husky', '.githooks', '.pre-commit-config.yaml'],
    ...['lefthook.yml', '.lefthook.yml', 'lefthook.yaml', '.lefthook.yaml'],
    // Editors run tasks, extensions' settings and language servers.
    ...['.vscode', '.idea', '.zed', '.fleet', '.devcontainer', '.devcontainer.json', '.exrc', '.vimrc'],
    ...['.nvimrc', '.nvim.lua', '.gvimrc', '.emacs', '.emacs.d', '.dir-locals.el'],
    // Agents start the servers and hooks that their settings name.
    ...['.mcp.json', '.cursor', '.windsurf', '.claude.json', '.gemini', '.codex'],
    // Shells, and what they start.
    ...['.profile', '.login', '.logout', '.cshrc', '.tcshrc', '.kshrc', '.mkshrc', '.inputrc', '.xprofile'],
    ...['.xinitrc', '.xsession', '.tmux.conf', '.screenrc', '.gdbinit', '.lldbinit', '.pdbrc', '.irbrc'],
    ...[
      '.mise.toml',
      '.yarnrc',
      '.yarnrc.yml',
      '.pnpmfile.cjs',
      '.pythonrc',
      '.rprofile',
      '.wgetrc',
      '.curlrc',
    ],
    // Signing in, and plugging in.
    ...['launchagents', 'launchdaemons', 'autorun.inf'],
  ]),
  // `.bowline-` is also how a file that is still being written is called.
  beginnings: ['.bowline-', '.bash', '.zsh', '.zlog', '.zprofile', '.oh-my-zsh'],
  endings: ['.code-workspace', 'profile.ps1', '.sublime-project'],
  below: new Map([
    ['.claude', ['settings.json', 'settings.local.json', 'hooks', 'plugins']],
    ['.config', ['autostart', 'systemd', 'fish', 'nvim', 'git', 'environment.d', 'powershell']],
    ['.github', ['hooks']],
  ]),
};

/** In `.git`, what may hold a password or a token. */
const GIT_SECRETS = new Set(['config', 'config.worktree', 'credentials', 'fetch_head']);

/**
 * Whether the names on the way to a file leave it open, whatever their case. Pure: a search asks it of
 * everything found, and a write of the path it was given.
 */
export function isOpenPath(relative: string, to: Access): boolean {
  const names = relative.split('/').map(folded);
  if (isAmong(names, secrets)) return false;
  const git = names.indexOf('.git');
  if (git >= 0 && names.slice(git + 1).some((name) => GIT_SECRETS.has(name))) return false;
  return to === 'read' || !isAmong(names, autorun);
}

function isAmong(names: readonly string[], { anywhere, beginnings, endings, below }: Names): boolean {
  return names.some(
    (name, i) =>
      anywhere.has(name) ||
      beginnings.some((start) => name.startsWith(start)) ||
      endings.some((end) => name.endsWith(end)) ||
      below.get(names[i - 1] ?? '')?.includes(name) === true,
  );
}
