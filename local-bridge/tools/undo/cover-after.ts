import { MAX_FILE_BYTES } from '../../../contracts/edits.ts';
import { cleanContents } from '../git/clean-files.ts';
import type { GitPorts } from '../git/repository.ts';
import { type Seen, type Snapshot, seenAt } from '../terminal/touched-files.ts';
import type { Root } from '../workspace/held.ts';
import { contentNow } from './changes.ts';
import type { Content, Entry } from './entry.ts';
import { AT_ONCE, KEEP } from './keep-before.ts';
import type { KeptContents } from './kept-contents.ts';

/** Limits of what is looked at after a command, so that its answer comes soon. */
const COVER = { files: 300, bytes: 64 * 1024 * 1024, ms: 250 } as const;
const GIT_MS = 2_000;

/** What is known of a folder before and after a command. */
interface Compared {
  readonly root: Root;
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly kept: ReadonlyMap<string, Content>;
  /** Files that stood as git has them, with the ids of their contents. */
  readonly clean: ReadonlyMap<string, string>;
}

/** A change that undo may cover. */
interface Changed extends Pick<Entry, 'path' | 'kind' | 'parents'> {
  /** `undefined` if there was nothing. */
  readonly was: Seen | undefined;
  /** Where the earlier content is: among what was kept, or in git. */
  readonly source: Content | string | undefined;
  readonly now: Content | null;
}

/** Finds out what a command left of the files that it changed, as far as undo can cover them. */
export async function changesOf(
  touched: readonly string[],
  { root, before, after, kept, clean }: Compared,
  ports: GitPorts,
): Promise<{ readonly changes: readonly Changed[]; readonly without: string[] }> {
  const until = performance.now() + COVER.ms;
  const found = touched.map((path) => ({ path, was: seenAt(before, path), is: seenAt(after, path) }));
  // First what is lost otherwise. What is new can be removed by hand.
  found.sort((one, other) => Number(one.was === undefined) - Number(other.was === undefined));
  const changes: Changed[] = [];
  const without: string[] = [];
  const plain: Omit<Changed, 'kind' | 'now'>[] = [];
  let bytes = 0;
  for (const { path, was, is } of found) {
    bytes += is?.isPlain ? is.size : 0;
    const isOver = changes.length + plain.length >= COVER.files || bytes > COVER.bytes;
    const source = kept.get(path) ?? clean.get(path);
    const isKept = was === undefined || (was.isPlain && source !== undefined);
    const isNewFolder = is?.isFolder === true && was === undefined;
    const isPlain = is === undefined || is.isPlain;
    if (isOver || !isKept || !(isPlain || isNewFolder) || !ports.workspace.isOpen(root, path, 'write')) {
      without.push(path);
      continue;
    }
    const change = { path, was, source, parents: cameWith(before, path) };
    if (isNewFolder) changes.push({ ...change, kind: 'directory', now: null });
    else plain.push(change);
  }
  for (let i = 0; i < plain.length; i += AT_ONCE) {
    const some = plain.slice(i, i + AT_ONCE);
    const isLate = performance.now() > until;
    const states = await Promise.all(
      some.map(({ path }) => (isLate ? 'unreadable' : contentNow(root, path, ports))),
    );
    for (const [j, change] of some.entries()) {
      const now = states[j] ?? null;
      if (now === 'unreadable') without.push(change.path);
      else changes.push({ ...change, kind: 'file', now });
    }
  }
  return { changes, without };
}

/** Gives the folders that the command made for a path, outermost first. */
function cameWith(before: Snapshot, path: string): string[] {
  const names = path.split('/');
  return names
    .slice(1)
    .map((_, i) => names.slice(0, i + 1).join('/'))
    .filter((folder) => seenAt(before, folder) === undefined);
}

/** Reads the content that each file had before; `undefined` where there was none, or where it is not there any more. */
export async function earlierOf(
  changes: readonly Changed[],
  root: Root,
  contents: KeptContents,
  ports: GitPorts,
): Promise<readonly (Buffer | undefined)[]> {
  const ids = changes.flatMap(({ source }) => (typeof source === 'string' ? [source] : []));
  const most = { each: MAX_FILE_BYTES, inAll: KEEP.bytes };
  const fromGit = await cleanContents(root, ids, most, ports, AbortSignal.timeout(GIT_MS));
  return changes.map(({ source, was }) => {
    if (typeof source === 'object') return contents.read(source.sha256);
    const bytes = source === undefined ? undefined : fromGit.get(source);
    // Git may store a file in another form than it had in the folder. Its length then differs.
    return bytes?.length === was?.size ? bytes : undefined;
  });
}
