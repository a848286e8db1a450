/** What may be read of a repo: folders and files the owner opened, less what is never open. */
export interface PathPolicy {
  /** Patterns of the owner's: a path, or a folder followed by `/**`; `**` alone opens the repo. */
  readonly open: readonly string[];
}

/** Open unless the owner set something else. */
export const OPEN_BY_DEFAULT = [
  'docs/**',
  'paths/**',
  'stacks/**',
  '.claude/memory/**',
  'README.md',
  'CLAUDE.md',
];

/** Whether a path of the repo may be read. Reads it as the strictest reader would, whatever its case. */
export function isReadable(path: string, { open }: PathPolicy): boolean {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return false;
  return !isNeverReadable(parts) && open.some((pattern) => isOpenedBy(pattern, path));
}

/** Secrets and keys by their usual names, and git's own folder. Case is ignored: some disks ignore it too. */
function isNeverReadable(parts: readonly string[]): boolean {
  const lower = parts.map((part) => part.toLowerCase());
  const name = lower.at(-1) ?? '';
  return (
    lower.some((part) => part === 'secrets' || part === '.git' || part.startsWith('.env')) ||
    name.endsWith('.key') ||
    name.endsWith('.pem')
  );
}

function isOpenedBy(pattern: string, path: string): boolean {
  if (pattern === '**') return true;
  return pattern.endsWith('/**') ? path.startsWith(pattern.slice(0, -2)) : path === pattern;
}
