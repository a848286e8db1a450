import type { Root } from '../workspace/held.ts';
import { shown } from '../workspace/path-rules.ts';
import { readWhole } from '../workspace/read-content.ts';
import { isRefusal } from '../workspace/refusal.ts';
import { addFile, type Cause, type ChangePorts, changeFile, contentNow, dropFile } from './changes.ts';
import type { Content, Entry } from './entry.ts';

/** The result of undoing one change, in words for the owner. */
export interface Restored {
  readonly done: boolean;
  readonly message: string;
  readonly suggestion?: string;
}

/**
 * Restores the whole earlier content, if the file still has the content that the change left. Otherwise it says what
 * has happened since; `anyway` restores it even then. The owner can undo this too.
 */
export async function undoChange(
  entry: Entry,
  root: Root,
  cause: Cause,
  ports: ChangePorts,
  anyway = false,
): Promise<Restored> {
  if (entry.kind === 'directory') return undoDirectory(entry, root, ports);
  const now = await contentNow(root, entry.path, ports);
  const path = shown(entry.path);
  if (now !== 'unreadable' && isSame(now, entry.before)) {
    return { done: true, message: `${path} is already as it was before the call` };
  }
  if (now === 'unreadable' || (!anyway && !isSame(now, entry.after))) return changedSince(entry, now, ports);
  if (entry.before === null) return removeAdded(entry, root, cause, ports);
  const before = ports.undo.contentBefore(entry);
  if (!before) {
    return notKept(entry);
  }
  return now === null
    ? putBack(entry, root, before, entry.before, cause, ports)
    : putOver(entry, root, before, entry.before, cause, ports);
}

/** Says that an entry has no earlier content any more. */
export function notKept({ path }: Entry): Restored {
  return {
    done: false,
    message: `The earlier content of ${shown(path)} is no longer kept`,
    suggestion: 'Check whether git has it.',
  };
}

/** Compares contents by their bytes. A mode that the owner changed since does not prevent undoing. */
export function isSame(one: Content | null, other: Content | null): boolean {
  return one?.sha256 === other?.sha256;
}

export function changedSince(
  { id, path, at, root }: Entry,
  now: Content | null | 'unreadable',
  ports: ChangePorts,
): Restored {
  const later = ports.undo
    .list()
    .filter(
      (other) => other.path === path && other.root.path === root.path && other.at >= at && other.id !== id,
    );
  const what =
    now === null
      ? 'was removed since'
      : now === 'unreadable'
        ? 'is no longer a plain file that can be read'
        : `was changed since, and has ${now.bytes} bytes now`;
  const by = later.length > 0 ? ` (later calls: ${later.map((other) => other.id).join(', ')})` : '';
  return {
    done: false,
    message: `${shown(path)} ${what}${by}; nothing was done`,
    suggestion:
      now === 'unreadable'
        ? 'Move away what is in its place, then undo again.'
        : later.length > 0
          ? 'Undo the later calls first, the newest before the others, or add --anyway.'
          : 'Look at the file. Add --anyway to put the earlier content in its place.',
  };
}

async function putBack(
  { path }: Entry,
  root: Root,
  bytes: Buffer,
  { mode }: Content,
  cause: Cause,
  ports: ChangePorts,
): Promise<Restored> {
  const place = ports.workspace.place(root, path, 'create');
  if (isRefusal(place)) return { done: false, ...place };
  try {
    await addFile(place, bytes, cause, ports, mode);
  } finally {
    place.close();
  }
  return { done: true, message: `Put back ${shown(path)} (${bytes.length} bytes)` };
}

async function putOver(
  { path }: Entry,
  root: Root,
  bytes: Buffer,
  { mode }: Content,
  cause: Cause,
  ports: ChangePorts,
): Promise<Restored> {
  const file = ports.workspace.file(root, path, 'write');
  if (isRefusal(file)) return { done: false, ...file };
  try {
    await changeFile(file, await readWhole(file, ports.disk), bytes, cause, ports, mode);
  } finally {
    file.close();
  }
  return { done: true, message: `Put back ${shown(path)} (${bytes.length} bytes)` };
}

async function removeAdded(entry: Entry, root: Root, cause: Cause, ports: ChangePorts): Promise<Restored> {
  const file = ports.workspace.file(root, entry.path, 'write');
  if (isRefusal(file)) return { done: false, ...file };
  try {
    await dropFile(file, await readWhole(file, ports.disk), cause, ports);
  } finally {
    file.close();
  }
  ports.workspace.removeEmpty(root, entry.parents);
  return { done: true, message: `Removed ${shown(entry.path)}, which the call had created` };
}

function undoDirectory({ path, parents }: Entry, root: Root, ports: ChangePorts): Restored {
  const left = ports.workspace.removeEmpty(root, [...parents, path]);
  if (left.includes(path)) {
    return {
      done: false,
      message: `${shown(path)} is not an empty directory any more; nothing was done`,
      suggestion: 'Undo what was put into it first, or remove it yourself.',
    };
  }
  return { done: true, message: `Removed ${shown(path)}, which the call had created` };
}
