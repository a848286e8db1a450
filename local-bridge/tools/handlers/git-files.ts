import { setImmediate as yieldOnce } from 'node:timers/promises';
import { type Change, changesBetween, contentsOf, emptyTree, type Side, statusOf } from '../git/changes.ts';
import type { Repository } from '../git/git.ts';
import { below, type GitPorts, type GitProblem, isProblem } from '../git/repository.ts';
import { namesIn, shown } from '../workspace/path-rules.ts';
import { readUpTo } from '../workspace/read-content.ts';
import { isRefusal } from '../workspace/refusal.ts';
import { diffOf } from './edits-diff.ts';
import { isBinary } from './files-text.ts';
import type { GitQuery, GitReading } from './git-reading.ts';

/** The most changed files that an answer lists. */
const MAX_FILES = 300;
/** Larger files get no diff. */
const MAX_CONTENT = 512 * 1024;
const MAX_CONTENTS = 8 * 1024 * 1024;
/** The most characters of diffs in an answer. */
const MAX_DIFF = 120_000;

/** Lists the changes that are not committed. */
export async function status({ repository, path, input, ports }: GitQuery): Promise<GitReading | GitProblem> {
  const found = await statusOf(repository, path);
  if (isProblem(found)) return found;
  const { changes, closed } = openChanges(found.changes, repository, ports);
  const listed = changes.slice(0, MAX_FILES);
  const where = found.branch === null ? 'On no branch' : `On branch ${shown(found.branch)}`;
  const what = changes.length === 0 ? 'nothing changed' : count(changes.length, 'changed file');
  const follows =
    found.upstream === undefined
      ? ''
      : ` (follows ${shown(found.upstream)}, ${found.ahead ?? 0} ahead, ${found.behind ?? 0} behind)`;
  const truncated = found.cut || listed.length < changes.length;
  return {
    head: `${where}${follows}: ${what}${input.path === '.' ? '' : ` in ${shown(input.path)}`}`,
    body:
      listed.map((one) => `  ${nameOf(one)}${one.staged ? ' (staged)' : ''}\n`).join('') +
      tail(closed, truncated),
    metadata: {
      head: found.head,
      branch: found.branch,
      ...(found.upstream === undefined ? {} : { upstream: shown(found.upstream) }),
      ...(found.ahead === undefined ? {} : { ahead: found.ahead, behind: found.behind ?? 0 }),
      files: listed.map((one) => ({ ...fileOf(one), staged: one.staged === true })),
      ...(closed > 0 ? { closed_files: closed } : {}),
      truncated,
    },
  };
}

/** Shows the differences from a commit. */
export async function diff({ repository, path, input, ports }: GitQuery): Promise<GitReading | GitProblem> {
  const head = await repository.commit(input.base ?? 'HEAD');
  // Before the first commit, everything that is staged is new.
  const isUnborn = isProblem(head) && head.problem === 'unknown_ref' && input.base === undefined;
  const base = isUnborn ? await emptyTree(repository) : head;
  if (isProblem(base)) return base;
  const other = input.ref === undefined ? undefined : await repository.commit(input.ref);
  if (other !== undefined && typeof other !== 'string') return other;
  const to = other !== undefined ? { id: other } : input.staged ? 'staged' : 'files';
  const found = await changesBetween(repository, base, to, path);
  if (isProblem(found)) return found;
  const shownDiff = await diffText(found, { repository, ports, fromFiles: to === 'files' });
  if (isProblem(shownDiff)) return shownDiff;
  const from = isUnborn ? 'nothing' : shown(input.base ?? 'HEAD');
  const target = other !== undefined ? shown(input.ref ?? '') : input.staged ? 'what is staged' : 'the files';
  return {
    head: `From ${from} to ${target}: ${count(shownDiff.metadata.files?.length ?? 0, 'changed file')}`,
    ...shownDiff,
  };
}

/** Writes the diffs of a list of changes. It computes each from the two contents, without git. */
export async function diffText(
  { changes: all, cut }: { readonly changes: readonly Change[]; readonly cut: boolean },
  place: { readonly repository: Repository; readonly ports: GitPorts; readonly fromFiles: boolean },
): Promise<Omit<GitReading, 'head'> | GitProblem> {
  const { repository, ports } = place;
  const { changes, closed } = openChanges(all, repository, ports);
  const listed = changes.slice(0, MAX_FILES);
  const ids = listed
    .flatMap(({ before, after }) => [before, after])
    .flatMap((side) => (isFile(side) && side.id ? [side.id] : []));
  const contents = await contentsOf(repository, ids, MAX_CONTENT, MAX_CONTENTS);
  if (isProblem(contents)) return contents;
  const kept: Change[] = [];
  let text = '';
  let truncated = cut || listed.length < changes.length;
  for (const change of listed) {
    const before = contentOf(change.before, contents);
    const after =
      place.fromFiles && isFile(change.after) && change.after.id === undefined
        ? await fileContent(change.path, repository, ports)
        : contentOf(change.after, contents);
    const written = oneDiff(change, before, after);
    // The content is the same: git also lists files that were only touched.
    if (written === undefined) continue;
    kept.push(change);
    if (text.length + written.length > MAX_DIFF) truncated = true;
    else text += written;
    // A long diff must not keep the machine from its other calls.
    await yieldOnce();
  }
  return {
    body: text + tail(closed, truncated),
    metadata: {
      files: kept.map(fileOf),
      ...(closed > 0 ? { closed_files: closed } : {}),
      truncated,
    },
  };
}

/** A file's bytes, `null` if there is no file, or the reason why it is not shown. */
type Content = Buffer | null | string;

function oneDiff(change: Change, before: Content, after: Content): string | undefined {
  const title = `# ${nameOf(change)}`;
  const why = [before, after].find((content) => typeof content === 'string');
  if (why !== undefined) return `${title} (${why})\n`;
  const [old, fresh] = [before, after] as readonly (Buffer | null)[];
  if (old && fresh?.equals(old)) {
    if (change.before?.mode === change.after?.mode && change.from === undefined) return undefined;
    return `${title}${change.from === undefined ? ' (only its mode)' : ''}\n`;
  }
  if ([old, fresh].some((content) => content && isBinary(content))) return `${title} (binary)\n`;
  const { diff } = diffOf(shown(change.path), old ?? null, fresh ?? null, shown(change.from ?? change.path));
  return diff === null ? `${title} (too large for a diff)\n` : `${title}\n${diff}`;
}

function isFile(side: Side | undefined): side is Side {
  return side?.mode.startsWith('100') === true;
}

function contentOf(side: Side | undefined, contents: ReadonlyMap<string, Buffer>): Content {
  if (side === undefined) return null;
  if (side.mode === '160000') return 'a submodule';
  if (!isFile(side)) return 'a link';
  return (side.id === undefined ? undefined : contents.get(side.id)) ?? 'too large for a diff';
}

/** Reads a file of the working tree as `read_file` would, so that no link leads elsewhere. */
async function fileContent(path: string, { root }: Repository, ports: GitPorts): Promise<Content> {
  const file = ports.workspace.file(root, path, 'read');
  if (isRefusal(file)) return file.code === 'not_found' ? null : 'not opened';
  try {
    if (file.stats.size > MAX_CONTENT) return 'too large for a diff';
    return await readUpTo(file, MAX_CONTENT, ports.disk);
  } finally {
    file.close();
  }
}

/** Gives the changes by their paths from the open folder. Leaves out those with a name that is closed to tools. */
function openChanges(
  changes: readonly Change[],
  { root, relative }: Repository,
  { workspace }: GitPorts,
): { readonly changes: readonly Change[]; readonly closed: number } {
  const isOpen = (path: string) => {
    // Git ends the name of a new folder with a slash. A name that tools may not show counts as closed.
    const plain = path.replace(/\/$/, '');
    return workspace.isOpen(root, plain, 'read') && !isRefusal(namesIn(plain));
  };
  const open = changes
    .map(({ path, from, ...rest }) => ({
      ...rest,
      path: below(relative, path),
      ...(from === undefined ? {} : { from: below(relative, from) }),
    }))
    .filter(({ path, from = path }) => isOpen(path) && isOpen(from));
  return { changes: open, closed: changes.length - open.length };
}

function fileOf({ path, from, change }: Change): FileEntry {
  return { path: shown(path), ...(from === undefined ? {} : { from: shown(from) }), change };
}

type FileEntry = NonNullable<GitReading['metadata']['files']>[number];

function nameOf({ path, from, change }: Change): string {
  return `${change}: ${from === undefined ? '' : `${shown(from)} -> `}${shown(path)}`;
}

function tail(closed: number, truncated: boolean): string {
  return [
    ...(closed > 0 ? [`[${count(closed, 'changed file')} closed to tools, left out]\n`] : []),
    ...(truncated ? ['[There is more. Name a file or a folder as `path`.]\n'] : []),
  ].join('');
}

export function count(number: number, one: string): string {
  return `${number.toLocaleString('en-US')} ${one}${number === 1 ? '' : 's'}`;
}
