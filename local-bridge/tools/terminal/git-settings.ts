/** Files of a git folder that name programs for git to run, or more settings files. */
export const GIT_SETTINGS: ReadonlySet<string> = new Set(['config', 'config.worktree', 'commondir']);

/** Settings that name no program and no other settings file: what `git init` and `git clone` write. */
const HARMLESS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'core',
    new Set([
      ...['repositoryformatversion', 'filemode', 'bare', 'logallrefupdates', 'ignorecase', 'symlinks'],
      ...['precomposeunicode', 'autocrlf', 'eol', 'sparsecheckout', 'sparsecheckoutcone', 'worktree'],
    ]),
  ],
  [
    'extensions',
    new Set(['objectformat', 'refstorage', 'partialclone', 'worktreeconfig', 'compatobjectformat']),
  ],
  ['remote', new Set(['url', 'fetch', 'tagopt', 'prune', 'promisor', 'partialclonefilter'])],
  ['branch', new Set(['remote', 'merge', 'rebase'])],
  ['submodule', new Set(['active', 'url'])],
  ['user', new Set(['name', 'email'])],
]);

/** Git starts a helper program for an address such as `ext::sh -c …`. */
const STARTS_HELPER = /^\s*"?(?:-|[a-z0-9+.-]+::)/i;

/** Tells whether a file of git's settings makes git run nothing. A file that cannot be parsed is not harmless. */
export function isHarmlessGitConfig(text: string): boolean {
  let allowed: ReadonlySet<string> | undefined;
  return text.split('\n').every((raw) => {
    const line = raw.trim();
    if (line === '' || /^[#;]/.test(line)) return !line.endsWith('\\');
    const section = /^\[([A-Za-z0-9-]+)(?: "[^"\\]*")?\]$/.exec(line)?.[1];
    if (section !== undefined) {
      allowed = HARMLESS.get(section.toLowerCase());
      return allowed !== undefined;
    }
    const [, key, value = ''] = /^([A-Za-z][A-Za-z0-9-]*)(?:\s*=(.*))?$/.exec(line) ?? [];
    return (
      key !== undefined &&
      allowed?.has(key.toLowerCase()) === true &&
      !line.endsWith('\\') &&
      !STARTS_HELPER.test(value)
    );
  });
}

/** The paths in a file of git's settings, exactly as written there. */
interface GitPaths {
  /** Folders of hooks, from the worktree. */
  readonly hooks: readonly string[];
  /** More files of settings, from this file's folder. */
  readonly included: readonly string[];
}

/**
 * Matches a line of settings as git reads it: a header and a setting may share a line, quotes may stand within a
 * value, and a comment may follow.
 */
const LINE = /^\s*(?:\[\s*([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\])?\s*(?:([a-z][a-z0-9-]*)\s*=\s*(.*))?/i;

export function gitPathsIn(text: string): GitPaths {
  const paths = { hooks: [] as string[], included: [] as string[] };
  let section = '';
  for (const line of text.split('\n')) {
    const [, header, key = '', written = ''] = LINE.exec(line) ?? [];
    if (header !== undefined) section = header.toLowerCase();
    const path = settingIn(written);
    if (path === '') continue;
    if (section === 'core' && key.toLowerCase() === 'hookspath') paths.hooks.push(path);
    if (/^include(?:if)?(?:\.|$)/.test(section) && key.toLowerCase() === 'path') paths.included.push(path);
  }
  return paths;
}

function settingIn(written: string): string {
  let value = '';
  let isQuoted = false;
  for (let i = 0; i < written.length; i++) {
    const letter = written[i] ?? '';
    if (letter === '"') isQuoted = !isQuoted;
    else if (letter === '\\') value += written[++i] ?? '';
    else if (!isQuoted && (letter === '#' || letter === ';')) break;
    else value += letter;
  }
  return value.trim();
}

/**
 * Tells whether git treats a folder with these entries (folded names) as a repository, whatever the folder's own
 * name.
 */
export function isGitFolder(names: ReadonlySet<string>): boolean {
  return names.has('head') && ((names.has('objects') && names.has('refs')) || names.has('commondir'));
}
