/** Files of a git folder that say what git runs, or where else it looks for that. */
export const GIT_SETTINGS: ReadonlySet<string> = new Set(['config', 'config.worktree', 'commondir']);

/** Settings that name no program and no other file of settings: what `git init` and `git clone` write. */
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

/** Whether a file of git's settings makes git run nothing. What it cannot be read as is not harmless. */
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

/** The folder of hooks that a file of git's settings names, as it is written there. */
export function hooksPathIn(text: string): string | undefined {
  return /^\s*hooksPath\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(text)?.[1];
}

/** Whether a folder of these names works as git's own for whoever enters it, whatever it is called. */
export function isGitFolder(names: ReadonlySet<string>): boolean {
  return names.has('HEAD') && ((names.has('objects') && names.has('refs')) || names.has('commondir'));
}
