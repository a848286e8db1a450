import { thisProcess } from '../../lib/lock.ts';
import { errnoOf } from '../workspace/disk.ts';
import type { Root } from '../workspace/held.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import { readWhole } from '../workspace/read-content.ts';
import { isRefusal } from '../workspace/refusal.ts';
import {
  removeFile,
  removeTemporary,
  replaceContent,
  type Staged,
  stageContent,
  stageNew,
  temporaryName,
  writeNew,
} from '../workspace/write-file.ts';
import { type Cause, type ChangePorts, contentNow } from './changes.ts';
import type { Content, Entry } from './entry.ts';
import { contentOf } from './journal.ts';

/** The planned change of one file. */
export interface FileChange {
  readonly path: string;
  /** The file as it is, held open; undefined if there is none. */
  readonly file: OpenFile | undefined;
  /** Null if there is no file. */
  readonly before: Buffer | null;
  /** Null if the file is to be removed. */
  readonly after: Buffer | null;
  /** The mode of the content; the system's default if left out. */
  readonly mode: number | undefined;
  /** The missing folders above it, outermost first. */
  readonly parents: readonly string[];
}

/** Says what becomes of a file. */
export function kindOf(before: Buffer | null, after: Buffer | null): 'create' | 'change' | 'delete' {
  if (before === null) return 'create';
  return after === null ? 'delete' : 'change';
}

/** The `code` of a failure that left some of the changes made, because they could not be taken back yet. */
export const HALF_DONE = 'BOWLINE_HALF_DONE';

/**
 * Makes changes to several files of a folder, all or none. It first stores all earlier content in the journal. After
 * a failure it takes back what it did, and after a crash the next start does.
 */
export async function changeFiles(
  root: Root,
  changes: readonly FileChange[],
  cause: Cause,
  ports: ChangePorts,
): Promise<void> {
  const entries = entriesOf(root, changes, cause, ports);
  const begun: Entry[] = [];
  const staged: Staged[] = [];
  try {
    for (const [i, entry] of entries.entries()) {
      begun.push(entry);
      await ports.undo.begin(entry, changes[i]?.before ?? undefined);
    }
    for (const [i, { temporary }] of entries.entries()) {
      const change = changes[i];
      if (change && temporary !== null) staged.push(await stage(root, change, temporary, cause, ports));
    }
    cause.signal?.throwIfAborted();
    for (const one of staged) await one.commit();
  } catch (error) {
    for (const one of staged) one.drop();
    if (!(await isTakenBack(begun, ports)))
      throw Object.assign(new Error(String(error)), { code: HALF_DONE });
    throw error;
  }
  // The changes are made, and the call must report that. The next start settles what is left open.
  for (const { id } of entries) attempt(() => ports.undo.finish(id));
}

function entriesOf(
  { name, path }: Root,
  changes: readonly FileChange[],
  { id, tool, principal }: Cause,
  { undo }: ChangePorts,
): Entry[] {
  const group = undo.newId(id);
  return changes.map(({ path: relative, file, before, after, mode, parents }, i) => ({
    id: `${group}-${i + 1}`,
    group,
    at: Date.now(),
    tool,
    ...(principal === undefined ? {} : { principal }),
    root: { name, path },
    path: relative,
    kind: 'file' as const,
    before: before && contentOf(before, Number(file?.stats.mode ?? 0)),
    after: after && contentOf(after, mode ?? 0),
    temporary: temporaryName(),
    parents: [...parents],
    ...thisProcess(),
  }));
}

/** Writes the new content beside the old one, so that a full disk fails before anything is changed. */
async function stage(
  root: Root,
  { path, file, before, after, mode }: FileChange,
  temporary: string,
  { signal }: Cause,
  { workspace, disk }: ChangePorts,
): Promise<Staged> {
  const more = { ...(mode === undefined ? {} : { mode }), ...(signal ? { signal } : {}) };
  if (file && before) {
    if (after) return stageContent(file, before, { bytes: after, temporary, ...more }, disk);
    return { commit: () => removeFile(file, before, disk), drop: () => undefined };
  }
  const place = workspace.place(root, path, 'create');
  if (isRefusal(place)) throw Object.assign(new Error(place.message), { code: 'ESTALE' });
  try {
    const made = await stageNew(place, { bytes: after ?? Buffer.alloc(0), temporary, ...more }, disk);
    return {
      commit: () => made.commit().finally(place.close),
      drop: () => {
        made.drop();
        attempt(place.close);
      },
    };
  } catch (error) {
    place.close();
    throw error;
  }
}

async function isTakenBack(entries: readonly Entry[], ports: ChangePorts): Promise<boolean> {
  try {
    await takeBack(entries, ports);
    return true;
  } catch {
    return false;
  }
}

/**
 * Restores every file of unfinished changes. It leaves a file alone that somebody else changed since, and keeps its
 * entry. If it is interrupted at any step, it can start again.
 */
async function takeBack(entries: readonly Entry[], ports: ChangePorts): Promise<void> {
  const [left, others]: [Entry[], Entry[]] = [[], []];
  for (const entry of entries.toReversed()) {
    const root = rootOf(entry, ports);
    // The folder is not open now. The next start that opens it takes the changes back.
    if (!root) return;
    clearTemporary(entry, root, ports);
    const now = await contentNow(root, entry.path, ports);
    const isOurs = isAs(now, entry.after) && !isAs(now, entry.before);
    const isBack = isAs(now, entry.before) || (isOurs && (await putBack(entry, root, ports)));
    (isBack ? left : others).push(entry);
    if (entry.before === null) ports.workspace.removeEmpty(root, entry.parents);
  }
  // Begin with the files that are as they were: a finished entry means that all changes of its call were made.
  for (const { id } of left) ports.undo.forget(id);
  for (const { id } of others) ports.undo.finish(id);
}

/**
 * Settles the open entries of one call after a crash: completes the call if every change was made, else takes all
 * back.
 */
export async function settleGroup(entries: readonly Entry[], ports: ChangePorts): Promise<void> {
  const group = entries[0]?.group;
  const roots = entries.map((entry) => rootOf(entry, ports));
  if (roots.includes(undefined)) return;
  let isMade = ports.undo.list().some((one) => one.group === group);
  if (!isMade) {
    isMade = true;
    for (const [i, entry] of entries.entries()) {
      const root = roots[i];
      isMade &&= root !== undefined && isAs(await contentNow(root, entry.path, ports), entry.after);
    }
  }
  if (!isMade) return takeBack(entries, ports);
  for (const { id } of entries) ports.undo.finish(id);
}

function rootOf(entry: Entry, { workspace }: ChangePorts): Root | undefined {
  return workspace.roots.find(({ path }) => path === entry.root.path);
}

function isAs(now: Content | null | 'unreadable', state: Content | null): boolean {
  return now !== 'unreadable' && now?.sha256 === state?.sha256;
}

function clearTemporary(entry: Entry, root: Root, { workspace, disk }: ChangePorts): void {
  if (entry.temporary === null) return;
  const place = workspace.place(root, entry.path, 'exist');
  if (isRefusal(place)) return;
  removeTemporary(place, entry.temporary, disk);
  place.close();
}

/** Restores the earlier content of a file in place of the content that the change left. */
async function putBack(entry: Entry, root: Root, ports: ChangePorts): Promise<boolean> {
  const { workspace, disk, undo } = ports;
  const { before, after, path, temporary } = entry;
  const bytes = before && undo.contentBefore(entry);
  // Without the earlier content there is nothing to put back.
  if (bytes === undefined) return false;
  const writing = bytes && { bytes, temporary: temporary ?? temporaryName(), mode: before?.mode ?? 0o600 };
  if (after === null && writing) {
    const place = workspace.place(root, path, 'create');
    if (isRefusal(place)) return false;
    try {
      await writeNew(place, writing, disk);
      return true;
    } finally {
      place.close();
    }
  }
  const file = workspace.file(root, path, 'write');
  if (isRefusal(file)) return false;
  try {
    const ours = await readWhole(file, disk);
    if (writing) await replaceContent(file, ours, writing, disk);
    else await removeFile(file, ours, disk);
    return true;
  } finally {
    file.close();
  }
}

function attempt(work: () => void): void {
  try {
    work();
  } catch (error) {
    // Ignore this failure: it leaves only an entry or a handle, and the next start settles entries.
    if (errnoOf(error) === undefined) throw error;
  }
}
