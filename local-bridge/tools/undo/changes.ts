import { MAX_FILE_BYTES } from '../../../contracts/edits.ts';
import { thisProcess } from '../../lib/lock.ts';
import type { Disk } from '../workspace/disk.ts';
import type { Place, Root } from '../workspace/held.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import { readWhole } from '../workspace/read-content.ts';
import { isRefusal } from '../workspace/refusal.ts';
import type { Workspace } from '../workspace/workspace.ts';
import {
  removeFile,
  removeTemporary,
  replaceContent,
  temporaryName,
  writeNew,
} from '../workspace/write-file.ts';
import type { Content, Entry } from './entry.ts';
import { contentOf, type UndoJournal } from './journal.ts';

/** The means of a change. */
export interface ChangePorts {
  readonly workspace: Workspace;
  readonly undo: UndoJournal;
  readonly disk: Disk;
}

/** The call that makes a change. */
export interface Cause {
  readonly id: string;
  readonly tool: string;
  /** The principal of the call; left out when the owner undoes something. */
  readonly principal?: string;
  readonly signal?: AbortSignal;
}

/** Makes a new file that can be undone. On failure it throws the system's error, and nothing is changed. */
export async function addFile(
  place: Place,
  bytes: Uint8Array,
  cause: Cause,
  ports: ChangePorts,
  mode?: number,
): Promise<void> {
  const temporary = temporaryName();
  const after = contentOf(bytes, mode ?? 0);
  const entry = entryOf(place, cause, { kind: 'file', before: null, after, temporary }, ports.undo);
  const writing = { bytes, temporary, ...(mode === undefined ? {} : { mode }), ...signalOf(cause) };
  await changing(entry, undefined, ports, () => writeNew(place, writing, ports.disk));
}

/** Gives a file new content, and keeps its old content. */
export async function changeFile(
  file: OpenFile,
  before: Uint8Array,
  bytes: Uint8Array,
  cause: Cause,
  ports: ChangePorts,
  mode = Number(file.stats.mode) & 0o777,
): Promise<void> {
  const temporary = temporaryName();
  const was = contentOf(before, Number(file.stats.mode));
  const entry = entryOf(
    file,
    cause,
    {
      kind: 'file',
      before: was,
      after: contentOf(bytes, mode),
      temporary,
    },
    ports.undo,
  );
  const writing = { bytes, temporary, mode, ...signalOf(cause) };
  await changing(entry, before, ports, () => replaceContent(file, before, writing, ports.disk));
}

/** Removes a file, and keeps its content. Only undoing does this: no tool deletes. */
export async function dropFile(
  file: OpenFile,
  before: Uint8Array,
  cause: Cause,
  ports: ChangePorts,
): Promise<void> {
  const was = contentOf(before, Number(file.stats.mode));
  const entry = entryOf(file, cause, { kind: 'file', before: was, after: null, temporary: null }, ports.undo);
  await changing(entry, before, ports, () => removeFile(file, before, ports.disk));
}

/** Records a new directory, which needs no copy. */
export async function noteDirectory(place: Place, cause: Cause, { undo }: ChangePorts): Promise<void> {
  const entry = entryOf(
    place,
    cause,
    { kind: 'directory', before: null, after: null, temporary: null },
    undo,
  );
  await undo.begin(entry);
  undo.finish(entry.id);
}

type What = Pick<Entry, 'kind' | 'before' | 'after' | 'temporary'>;

function entryOf(
  { root, relative, created }: Place,
  { id, tool, principal }: Cause,
  what: What,
  undo: UndoJournal,
): Entry {
  const { name, path } = root;
  return {
    id: undo.newId(id),
    at: Date.now(),
    tool,
    ...(principal === undefined ? {} : { principal }),
    root: { name, path },
    path: relative,
    ...what,
    parents: [...created],
    ...thisProcess(),
  };
}

function signalOf({ signal }: Cause): { signal?: AbortSignal } {
  return signal ? { signal } : {};
}

async function changing(
  entry: Entry,
  before: Uint8Array | undefined,
  ports: ChangePorts,
  change: () => Promise<void>,
): Promise<void> {
  await ports.undo.begin(entry, before);
  try {
    await change();
  } catch (error) {
    // If the entry cannot be settled now, the next start does it. Report the first failure.
    await settle(entry, ports, 'forget').catch(() => undefined);
    throw error;
  }
  try {
    ports.undo.finish(entry.id);
  } catch {
    // The change is made, and the call must report that. The next start settles its entry.
  }
}

/**
 * Finds out whether an interrupted change was made, cleans up after it, and closes its entry. If the file has neither
 * the earlier nor the later content, somebody else changed it, and `unknown` says what to do.
 */
export async function settle(entry: Entry, ports: ChangePorts, unknown: 'keep' | 'forget'): Promise<void> {
  const root = ports.workspace.roots.find(({ path }) => path === entry.root.path);
  if (!root) return;
  if (entry.temporary !== null) {
    const place = ports.workspace.place(root, entry.path, 'exist');
    if (!isRefusal(place)) {
      removeTemporary(place, entry.temporary, ports.disk);
      place.close();
    }
  }
  const now = await contentNow(root, entry.path, ports);
  const isAs = (state: Content | null) => now !== 'unreadable' && now?.sha256 === state?.sha256;
  const made = !isAs(entry.before) && (isAs(entry.after) || unknown === 'keep');
  if (made) ports.undo.finish(entry.id);
  else ports.undo.forget(entry.id);
}

/** Reads a file's content now; null if there is none. */
export async function contentNow(
  root: Root,
  path: string,
  { workspace, disk }: { readonly workspace: Pick<Workspace, 'file'>; readonly disk: Disk },
): Promise<Content | null | 'unreadable'> {
  const file = workspace.file(root, path, 'read');
  if (isRefusal(file)) return file.code === 'not_found' ? null : 'unreadable';
  try {
    // Tools make no file this large, so somebody else made this one.
    if (file.stats.size > MAX_FILE_BYTES) return 'unreadable';
    return contentOf(await readWhole(file, disk), Number(file.stats.mode));
  } finally {
    file.close();
  }
}
