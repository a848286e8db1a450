import { MODES, type Mode } from '../../../src/core/git-blob.ts';
import type { MirroredFile } from '../../../src/core/mirror-push.ts';
import { isMirrored } from '../../../src/core/path-policy.ts';
import { counted, type Tell } from '../../lib/long-work.ts';
import { GitFailed, gitStream, type Objects, records } from './git.ts';
import type { Repo } from './repo.ts';

/** The content of a push: the files of a commit, or the differences from the base. */
export interface Plan {
  readonly base: string | null;
  readonly committedAt: number;
  readonly files: readonly MirroredFile[];
  readonly removed: readonly string[];
  /** Files that stay on this computer, because their folder is not open or they are secrets. */
  readonly closed: number;
  /** Files that could not be taken, and why. */
  readonly left: readonly string[];
}

type Entry = Pick<MirroredFile, 'path' | 'sha' | 'mode'> & { readonly size: number | undefined };

const MAX_PATH_CHARS = 4_096;

/** Describes the commit, as differences from the base if git still has the base. */
export async function planPush(
  repo: Repo,
  base: string | null,
  open: readonly string[],
  objects: Objects,
  tell: Tell,
): Promise<Plan> {
  const since = base !== null && (await has(objects, base)) ? base : null;
  const kept: Entry[] = [];
  const removed: string[] = [];
  const left: string[] = [];
  let closed = 0;
  const entries = since === null ? treeOf(repo) : since === repo.commit ? [] : changesOf(repo, since);
  for await (const entry of counted(entries, tell, 'Listing the files of the commit')) {
    const problem = problemWith(entry.path);
    if (problem !== undefined) left.push(problem);
    else if (!isMirrored(entry.path, { open })) closed += 1;
    else if (entry.sha === '') removed.push(entry.path);
    else kept.push(entry);
  }
  const head = (await objects.read(repo.commit)).toString('utf8');
  const committedAt = committerTime(head);
  // All differences from its parent were made by the commit itself.
  const isNext = since !== null && parentsOf(head).join() === since;
  const times = isNext ? new Map<string, number>() : await lastChanges(repo, since, kept, open, tell);
  const files: MirroredFile[] = [];
  for (const { path, sha, mode, size } of kept) {
    files.push({
      path,
      sha,
      mode,
      size: mode === '160000' ? 0 : (size ?? (await objects.read(sha)).length),
      modified: times.get(path) ?? committedAt,
    });
  }
  return { base: since, committedAt, files, removed, closed, left };
}

async function has(objects: Objects, commit: string): Promise<boolean> {
  try {
    await objects.read(commit);
    return true;
  } catch (error) {
    if (error instanceof GitFailed) return false;
    throw error;
  }
}

async function* treeOf({ root, commit }: Repo): AsyncGenerator<Entry> {
  const listed = gitStream(root, ['ls-tree', '-r', '-z', '-l', '--full-tree', commit]);
  for await (const record of records(listed)) {
    const tab = record.indexOf(0x09);
    const [mode = '', , sha = '', size = ''] = record.toString('latin1', 0, tab).split(/ +/);
    yield {
      path: record.subarray(tab + 1).toString('utf8'),
      sha,
      mode: modeOf(mode),
      size: /^\d+$/.test(size) ? Number(size) : undefined,
    };
  }
}

/** Lists the changes between two commits. A removed file has no sha. */
async function* changesOf({ root, commit }: Repo, base: string): AsyncGenerator<Entry> {
  const how = ['-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--no-ext-diff'];
  let head: string[] | undefined;
  for await (const record of records(gitStream(root, ['diff-tree', ...how, base, commit]))) {
    if (!head) {
      head = record.toString('latin1').slice(1).split(' ');
      continue;
    }
    const [, mode = '', , sha = '', status = ''] = head;
    head = undefined;
    const path = record.toString('utf8');
    yield status === 'D'
      ? { path, sha: '', mode: '100644', size: 0 }
      : { path, sha, mode: modeOf(mode), size: undefined };
  }
}

/** Finds the commit that last changed each file. Stops once every file has one. */
async function lastChanges(
  { root, commit }: Repo,
  base: string | null,
  files: readonly Entry[],
  open: readonly string[],
  tell: Tell,
): Promise<Map<string, number>> {
  const wanted = new Set(files.map(({ path }) => path));
  const times = new Map<string, number>();
  const ranges = base === null ? [commit] : [`${base}..${commit}`, commit];
  for (const range of ranges) {
    if (wanted.size === 0) break;
    // Name the files if they are few, so that git does not look at the others.
    const paths =
      wanted.size <= 50
        ? [...wanted]
        : open.includes('**')
          ? []
          : open.map((one) => one.replace(/\/\*\*$/, ''));
    const how = ['-z', '-c', '--name-only', '--no-renames', '--format=//%ct'];
    let time = 0;
    for await (const record of records(gitStream(root, ['log', ...how, range, '--', ...paths]))) {
      const text = record.toString('utf8').replace(/^\n+/, '');
      // No path begins with a slash.
      const at = /^\/\/(\d+)$/.exec(text);
      if (at) time = Number(at[1]) * 1_000;
      if (wanted.delete(text)) times.set(text, time);
      tell('Looking up when each file changed', times.size, files.length);
      if (wanted.size === 0) break;
    }
  }
  return times;
}

function committerTime(commit: string): number {
  return Number(/^committer .* (\d+) [+-]\d{4}$/m.exec(commit)?.[1] ?? 0) * 1_000;
}

function parentsOf(commit: string): string[] {
  const [head = ''] = commit.split('\n\n', 1);
  return [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent = '']) => parent);
}

function problemWith(path: string): string | undefined {
  if (path.includes('\ufffd')) return `${path}: its name is not UTF-8`;
  if (path.length > MAX_PATH_CHARS) return `${path.slice(0, 60)}…: its name is too long`;
  return undefined;
}

/** Reads git's file mode. Older versions of git wrote a few more modes; each means one of these. */
function modeOf(mode: string): Mode {
  return MODES.find((known) => known === mode) ?? '100644';
}
