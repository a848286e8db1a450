import { folded } from './path-rules.ts';

/** The use that a tool wants to make of a path. */
export type Access = 'read' | 'write';

interface Names {
  /** Names of files or folders that are closed at any depth, with everything below them. */
  readonly anywhere: ReadonlySet<string>;
  /** Beginnings of such names. */
  readonly beginnings: readonly string[];
  readonly endings: readonly string[];
  /** Names that are closed directly below another. */
  readonly below: ReadonlyMap<string, readonly string[]>;
  /** Names below which everything is closed, except these. */
  readonly belowBut?: ReadonlyMap<string, readonly string[]>;
}

/** Usual names of keys, tokens and passwords, and of Bowline's own state. Tools never open them. */
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
 * Files that another program runs or obeys by itself: when a shell starts, a folder is opened in an editor or
 * entered, git or an agent is used, or the owner signs in. File tools do not write these, a sandboxed command cannot
 * change them, and one that a command still makes is found afterwards. The list leaves out what the owner starts
 * knowingly (scripts, a Makefile), the project's own code, and text that agents read as instructions.
 */
const autorun: Names = {
  anywhere: new Set([
    // Git runs hooks and programs that its settings name. A `.git` file can point to a folder with both.
    ...[
      '.git',
      '.gitconfig',
      '.gitmodules',
      '.husky',
      '.githooks',
      '.hg',
      '.hgrc',
      '.jj',
      '.sl',
      '.overcommit.yml',
    ],
    ...[
      '.pre-commit-config.yaml',
      '.pre-commit-config.yml',
      'lefthook.yml',
      '.lefthook.yml',
      'lefthook.yaml',
    ],
    ...['.lefthook.yaml', 'lefthook-local.yml', '.lefthook-local.yml', 'lefthook.toml', '.lefthook.toml'],
    ...['.simple-git-hooks.json', '.simple-git-hooks.js', '.simple-git-hooks.cjs'],
    // Editors run tasks, extensions' settings and language servers.
    ...['.vscode', '.vs', '.idea', '.zed', '.fleet', '.nova', '.helix', '.theia', '.externaltoolbuilders'],
    ...['.devcontainer', '.devcontainer.json', '.exrc', '.vimrc', '.lvimrc', '.vim', '.nvimrc', '.nvim.lua'],
    ...['.gvimrc', '.emacs', '.emacs.d', '.dir-locals.el', '.dir-locals-2.el'],
    // Agents start the servers, hooks and commands in their settings.
    ...[
      '.mcp.json',
      '.cursor',
      '.windsurf',
      '.claude.json',
      '.gemini',
      '.codex',
      '.opencode',
      'opencode.json',
    ],
    ...['opencode.jsonc', '.crush.json', 'crush.json', '.roo', '.kilocode', '.continue', '.amazonq', '.kiro'],
    ...[
      '.trae',
      '.qwen',
      '.augment',
      '.junie',
      '.aider.conf.yml',
      '.cline',
      '.factory',
      '.goose',
      '.copilot',
    ],
    ...['.crush', '.forge', '.iflow', '.codebuddy', '.codeium', '.tabnine', '.antigravity', '.amp', '.warp'],
    ...['.rovodev', '.claude-plugin'],
    // Files that shells run or pass on, and files that a prompt reads on entering a folder.
    ...['.profile', '.login', '.logout', '.cshrc', '.tcshrc', '.kshrc', '.mkshrc', '.inputrc', '.xprofile'],
    ...['.xinitrc', '.xsession', '.xsessionrc', '.pam_environment', '.tmux.conf', '.screenrc', '.gdbinit'],
    ...[
      '.lldbinit',
      '.pdbrc',
      '.irbrc',
      '.pryrc',
      '.pythonrc',
      '.rprofile',
      '.wgetrc',
      '.curlrc',
      '.ripgreprc',
    ],
    ...['.env', '.envrc', '.autoenv', '.autoenv.zsh', '.mise', '.mise.toml', 'mise.toml', '.mise.local.toml'],
    ...['mise.local.toml', '.rtx.toml'],
    // Editors call package managers and build tools on opening a folder, and these take programs' names from these
    // files.
    ...[
      '.npmrc',
      '.yarnrc',
      '.yarnrc.yml',
      '.pnpmfile.cjs',
      '.pnpmfile.mjs',
      'pnpmfile.js',
      '.bazelrc',
      '.mvn',
    ],
    // The programs that keep keys in these folders also run what their settings name.
    ...['.ssh', '.gnupg', '.aws', '.kube'],
    // Files that run when the owner signs in or plugs in a disk.
    ...['launchagents', 'launchdaemons', 'autorun.inf'],
  ]),
  // Tools give files names with `.bowline-` while they write them.
  beginnings: ['.bowline-', '.bash', '.zsh', '.zlog', '.zprofile', '.oh-my-zsh'],
  endings: ['.code-workspace', 'profile.ps1', '.sublime-project'],
  below: new Map([
    [
      '.config',
      [
        ...[
          'autostart',
          'systemd',
          'fish',
          'nvim',
          'git',
          'environment.d',
          'powershell',
          'zed',
          'helix',
          'mise',
        ],
        ...[
          'direnv',
          'tmux',
          'code',
          'jj',
          'hg',
          'starship.toml',
          'kitty',
          'alacritty',
          'ghostty',
          'wezterm',
        ],
        ...[
          'sway',
          'i3',
          'hypr',
          'nushell',
          'xonsh',
          'elvish',
          'zellij',
          'lazygit',
          'vscodium',
          'cursor',
          'emacs',
          'vim',
        ],
      ],
    ],
    ['.cargo', ['config', 'config.toml']],
    ['.bundle', ['config', 'plugin']],
    ['.yarn', ['releases', 'plugins']],
    ['.docker', ['config.json', 'cli-plugins']],
    ['.github', ['hooks']],
    ['.clinerules', ['hooks']],
    ['.local', ['bin']],
  ]),
  // Everything else is closed, because each version of an agent may use new names for settings. Tools may read the
  // memory.
  belowBut: new Map([['.claude', ['memory', 'worktrees']]]),
};

/** Files in `.git` that may hold a password or a token. */
const GIT_SECRETS = new Set(['config', 'config.worktree', 'credentials', 'fetch_head']);

/**
 * Tells whether the names in a path leave it open, whatever their case. Touches no disk: a search asks about
 * everything it finds, and a write about its path.
 */
export function isOpenPath(relative: string, to: Access): boolean {
  const names = relative.split('/').map(folded);
  if (isAmong(names, secrets)) return false;
  const git = names.indexOf('.git');
  if (git >= 0 && names.slice(git + 1).some((name) => GIT_SECRETS.has(name))) return false;
  return to === 'read' || !isAmong(names, autorun);
}

/** Tells whether another program runs or obeys a file or folder of this name by itself. */
export function runsByItself(name: string, parent = ''): boolean {
  return isOne(folded(name), folded(parent), autorun);
}

/**
 * Tells whether files that run by themselves lie below a folder of this name. A link in its place would bring them
 * from anywhere.
 */
export function holdsAutorun(name: string): boolean {
  return autorun.below.has(folded(name)) || autorun.belowBut?.has(folded(name)) === true;
}

/**
 * The names in a repository's own folder that make its program run something. The rest is data, which a sandboxed
 * command may change. Git's part is in `local-bridge/tools/terminal/git-settings.ts`.
 */
export const REPOSITORY_SETTINGS: ReadonlyMap<string, readonly string[]> = new Map([
  ['.hg', ['hgrc', 'hgrc-not-shared', 'sharedpath']],
  ['.jj', ['config.toml', 'workspace-config.toml', 'repo/config.toml']],
  ['.sl', ['config', 'hgrc', 'sharedpath']],
]);

function isAmong(names: readonly string[], which: Names): boolean {
  return names.some((name, i) => isOne(name, names[i - 1] ?? '', which));
}

function isOne(name: string, parent: string, names: Names): boolean {
  const { anywhere, beginnings, endings, below, belowBut } = names;
  return (
    anywhere.has(name) ||
    beginnings.some((start) => name.startsWith(start)) ||
    endings.some((end) => name.endsWith(end)) ||
    below.get(parent)?.includes(name) === true ||
    belowBut?.get(parent)?.includes(name) === false
  );
}
