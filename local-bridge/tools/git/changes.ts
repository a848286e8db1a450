import type { Repository } from './git.ts';
import type { GitProblem } from './repository.ts';

/** One side of a change: the file as git keeps it. */
export interface Side {
  /** The id of its content; undefined for a file of the working tree, whose content git has not stored. */
  readonly id?: string;
  readonly mode: string;
}

/** A changed file. In git's results its path starts at the repository; in answers to callers, at the open folder. */
export interface Change {
  readonly path: string;
  readonly from?: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed' | 'type_changed' | 'unmerged' | 'untracked';
  readonly staged?: boolean;
  readonly before?: Side;
  readonly after?: Side;
}

const KINDS: Readonly<Record<string, Change['change']>> = {
  A: 'added',
  C: 'added',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  T: 'type_changed',
  U: 'unmerged',
};

/** Lists the changed files between two commits, or between a commit and the staged files or the working tree. */
export async function changesBetween(
  repository: Repository,
  base: string,
  other: { readonly id: string } | 'staged' | 'files',
  path: string,
): Promise<{ readonly changes: readonly Change[]; readonly cut: boolean } | GitProblem> {
  const format = ['--raw', '-z', '--no-abbrev', '--no-ext-diff', '--no-textconv', '--ignore-submodules=all'];
  const named = ['--', ...(path === '.' ? [] : [path])];
  const args =
    typeof other === 'object'
      ? ['diff-tree', '-r', '-M', '-l200', ...format, base, other.id, ...named]
      : other === 'staged'
        ? ['diff-index', '--cached', '-M', '-l200', ...format, base, ...named]
        : ['diff-index', '--no-renames', ...format, base, ...named];
  const { out, cut, problem } = await repository.run(args);
  if (problem) return problem;
  return { changes: rawChanges(out.toString('utf8')), cut };
}

/** Reads git's raw format: `:modes ids letter`, then one path, or two for a file that was renamed. */
function rawChanges(text: string): Change[] {
  const parts = text.split('\0');
  const changes: Change[] = [];
  for (let at = 0; at < parts.length; ) {
    const [, oldMode, newMode, oldId, newId, letter] =
      /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*$/.exec(parts[at++] ?? '') ?? [];
    if (letter === undefined) continue;
    const first = parts[at++] ?? '';
    const isPair = letter === 'R' || letter === 'C';
    const path = isPair ? (parts[at++] ?? '') : first;
    changes.push({
      path,
      ...(isPair ? { from: first } : {}),
      change: KINDS[letter] ?? 'modified',
      ...side('before', oldMode, oldId),
      ...side('after', newMode, newId),
    });
  }
  return changes;
}

function side(name: 'before' | 'after', mode = '000000', id = ''): Partial<Record<'before' | 'after', Side>> {
  if (mode === '000000') return {};
  return { [name]: { mode, ...(/^0+$/.test(id) ? {} : { id }) } };
}

/** The id of a tree without files, with which a first commit is compared. */
export async function emptyTree(repository: Repository): Promise<string | GitProblem> {
  const { out, problem } = await repository.run(['hash-object', '-t', 'tree', '--stdin']);
  return problem ?? out.toString('latin1').trim();
}

/** Reads contents by their ids, each at most `most` bytes long; the others are left out. */
export async function contentsOf(
  repository: Repository,
  ids: readonly string[],
  most: number,
  inAll: number,
): Promise<ReadonlyMap<string, Buffer> | GitProblem> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const asked = await repository.run(['cat-file', '--batch-check'], {
    input: wanted.map((id) => `${id}\n`).join(''),
  });
  if (asked.problem) return asked.problem;
  let room = inAll;
  const fitting = asked.out
    .toString('latin1')
    .split('\n')
    .flatMap((line) => {
      const [, id, size] = /^([0-9a-f]+) blob (\d+)$/.exec(line) ?? [];
      if (id === undefined || Number(size) > most || Number(size) > room) return [];
      room -= Number(size);
      return [id];
    });
  const { out, problem } = await repository.run(['cat-file', '--batch'], {
    input: fitting.map((id) => `${id}\n`).join(''),
    maxBytes: inAll + 100 * fitting.length,
  });
  if (problem) return problem;
  return batchOf(out);
}

function batchOf(out: Buffer): Map<string, Buffer> {
  const contents = new Map<string, Buffer>();
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf(0x0a, at);
    const [, id, size] = /^([0-9a-f]+) blob (\d+)$/.exec(out.toString('latin1', at, end)) ?? [];
    if (id === undefined || end < 0) break;
    const content = out.subarray(end + 1, end + 1 + Number(size));
    // The output was cut inside this content, so drop it.
    if (content.length === Number(size)) contents.set(id, content);
    at = end + 2 + Number(size);
  }
  return contents;
}

/** The result of `git status`. */
export interface Status {
  readonly head: string | null;
  readonly branch: string | null;
  readonly upstream?: string;
  readonly ahead?: number;
  readonly behind?: number;
  readonly changes: readonly Change[];
  readonly cut: boolean;
}

export async function statusOf(
  repository: Repository,
  path = '.',
  timeoutMs?: number,
): Promise<Status | GitProblem> {
  const args = [
    ...['status', '--porcelain=v2', '--branch', '-z', '--no-renames', '--untracked-files=normal'],
    ...['--ignore-submodules=all', '--', ...(path === '.' ? [] : [path])],
  ];
  const { out, cut, problem } = await repository.run(args, timeoutMs === undefined ? {} : { timeoutMs });
  if (problem) return problem;
  const entries = out.toString('utf8').split('\0');
  const said = (name: string) =>
    entries.find((entry) => entry.startsWith(`# branch.${name} `))?.slice(`# branch.${name} `.length);
  const [head, branch, upstream] = [said('oid'), said('head'), said('upstream')];
  const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(said('ab') ?? '') ?? [];
  return {
    head: head === undefined || head === '(initial)' ? null : head,
    branch: branch === undefined || branch === '(detached)' ? null : branch,
    ...(upstream === undefined ? {} : { upstream }),
    ...(ahead === undefined ? {} : { ahead: Number(ahead), behind: Number(behind) }),
    changes: entries.flatMap(statusChange),
    cut,
  };
}

function statusChange(entry: string): Change[] {
  const untracked = /^\? ([\s\S]+)$/.exec(entry)?.[1];
  if (untracked !== undefined) return [{ path: untracked, change: 'untracked', staged: false }];
  const unmerged = /^u (?:\S+ ){9}([\s\S]+)$/.exec(entry)?.[1];
  if (unmerged !== undefined) return [{ path: unmerged, change: 'unmerged', staged: false }];
  const [, staged = '.', here = '.', path] = /^1 (.)(.) (?:\S+ ){6}([\s\S]+)$/.exec(entry) ?? [];
  if (path === undefined) return [];
  const change = KINDS[staged === '.' || here === 'D' ? here : staged] ?? 'modified';
  return [{ path, change, staged: here === '.' }];
}
