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

/** Where the memory's files appear. They are read live, so that a repo's own files there are not mirrored. */
export const MEMORY_FOLDER = '.claude/memory/';

/** Whether a path of the repo may be read. Reads it as the strictest reader would, whatever its case. */
export function isReadable(path: string, { open }: PathPolicy): boolean {
  return !isNeverReadable(path) && open.some((pattern) => isOpenedBy(pattern, path));
}

/** Whether a path may be kept in the mirror: it may be read, and the memory does not live there. */
export function isMirrored(path: string, policy: PathPolicy): boolean {
  return isReadable(path, policy) && !path.toLowerCase().startsWith(MEMORY_FOLDER);
}

/**
 * Secrets and keys by their usual names, git's own folder, and whatever is no plain path from the root. Case
 * is ignored: some disks ignore it too.
 */
export function isNeverReadable(path: string): boolean {
  if (path.includes('\\') || hasControls(path)) return true;
  // Normalised before it is split: some characters become a slash.
  const parts = asDisksReadIt(path).split('/').map(withoutTail);
  const name = parts.at(-1) ?? '';
  return (
    parts.some((part) => part === '' || part === '.' || part === '..') ||
    parts.some((part) => part === 'secrets' || part === '.git' || part.startsWith('.env')) ||
    name.endsWith('.key') ||
    name.endsWith('.pem')
  );
}

/** A pattern that could be meant as something else is refused, or says why. */
export function objectionToPattern(pattern: string): string | undefined {
  if (pattern === '**') return undefined;
  const path = pattern.endsWith('/**') ? pattern.slice(0, -3) : pattern;
  if (/[*?[\]{}!]/.test(path)) return 'it may end in /** but holds no other wildcard';
  return isNeverReadable(path)
    ? 'it names something that is never open, or no path from the root'
    : undefined;
}

function isOpenedBy(pattern: string, path: string): boolean {
  if (pattern === '**') return true;
  return pattern.endsWith('/**') ? path.startsWith(pattern.slice(0, -2)) : path === pattern;
}

/** What two lists both open. */
export function openInBoth(one: readonly string[], other: readonly string[]): string[] {
  const both = one.flatMap((mine) =>
    other.flatMap((theirs) => (covers(mine, theirs) ? [theirs] : covers(theirs, mine) ? [mine] : [])),
  );
  return [...new Set(both)];
}

/** Whether a pattern opens all that another one does. */
function covers(wide: string, narrow: string): boolean {
  return isOpenedBy(wide, narrow);
}

/** Without case, compatibility forms (`.ｅnv`) and characters that are not seen. */
function asDisksReadIt(path: string): string {
  return path
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();
}

/** Windows drops dots and spaces at the end of a name. */
function withoutTail(part: string): string {
  // Not by a pattern that ends in `+$`: it would begin anew at each of many dots in the middle.
  let end = part.length;
  while (part[end - 1] === '.' || part[end - 1] === ' ') end -= 1;
  return part.slice(0, end) || part;
}

function hasControls(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
