import { MEMORY_FILES } from '../../contracts/memory.ts';

/** The readable part of a repo: the folders and files that the owner opened, without those that are never open. */
interface PathPolicy {
  /** The owner's patterns: a path, or a folder followed by `/**`. `**` alone opens the whole repo. */
  readonly open: readonly string[];
}

/** The paths that are open until the owner sets others. */
export const OPEN_BY_DEFAULT = [
  'docs/**',
  'paths/**',
  'stacks/**',
  '.claude/memory/**',
  'README.md',
  'CLAUDE.md',
];

/** The folder where the memory's three files appear, among the repo's own files there. */
export const MEMORY_FOLDER = '.claude/memory/';

/**
 * Tells whether a path names one of the memory's three files, in any spelling that some disk takes for it. The
 * memory wins over a file of the repo: a commit must not be able to say what was remembered.
 */
export function isMemoryFile(path: string): boolean {
  const asRead = asDisksReadIt(path).split('/').map(withoutTail).join('/');
  return MEMORY_FILES.some((name) => asRead === MEMORY_FOLDER + name);
}

/**
 * Tells whether a path of the repo may be read. Reads the path as the strictest reader would, in any case.
 */
export function isReadable(path: string, { open }: PathPolicy): boolean {
  return !isNeverReadable(path) && open.some((pattern) => isOpenedBy(pattern, path));
}

/** Tells whether a path may be kept in the mirror: it may be read, and the memory has no file of that name. */
export function isMirrored(path: string, policy: PathPolicy): boolean {
  return isReadable(path, policy) && !isMemoryFile(path);
}

/**
 * Recognises paths that are never open: secrets and keys by their usual names, git's own folder, and anything that
 * is not a plain path from the root. Ignores case, as some disks do.
 */
export function isNeverReadable(path: string): boolean {
  if (path.includes('\\') || hasControls(path)) return true;
  // Normalise before splitting: some characters become a slash.
  const parts = asDisksReadIt(path).split('/').map(withoutTail);
  const name = parts.at(-1) ?? '';
  return (
    parts.some((part) => part === '' || part === '.' || part === '..') ||
    parts.some((part) => part === 'secrets' || part === '.git' || part.startsWith('.env')) ||
    name.endsWith('.key') ||
    name.endsWith('.pem')
  );
}

/** Says what is wrong with a pattern. A pattern with two possible meanings is refused. */
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

/** Gives the patterns for what both lists open. */
export function openInBoth(one: readonly string[], other: readonly string[]): string[] {
  const both = one.flatMap((mine) =>
    other.flatMap((theirs) => (covers(mine, theirs) ? [theirs] : covers(theirs, mine) ? [mine] : [])),
  );
  return [...new Set(both)];
}

/** Tells whether a pattern opens all that another one opens. */
function covers(wide: string, narrow: string): boolean {
  return isOpenedBy(wide, narrow);
}

/** Removes case, compatibility forms (`.ｅnv`) and unseen characters. */
function asDisksReadIt(path: string): string {
  return path
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();
}

/** Drops dots and spaces at the end of a name, as Windows does. */
function withoutTail(part: string): string {
  // A pattern ending in `+$` would start again at each of many dots in the middle.
  let end = part.length;
  while (part[end - 1] === '.' || part[end - 1] === ' ') end -= 1;
  return part.slice(0, end) || part;
}

function hasControls(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
