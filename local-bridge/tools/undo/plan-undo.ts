import type { Root } from '../workspace/held.ts';
import { readWhole } from '../workspace/read-content.ts';
import { isRefusal, type WorkspaceRefusal } from '../workspace/refusal.ts';
import { type ChangePorts, contentNow } from './changes.ts';
import type { Content, Entry } from './entry.ts';
import { isSame } from './restore.ts';
import type { FileChange } from './transaction.ts';

/** Everything that undoing a call would do. The files are held open. */
export interface UndoPlan {
  readonly root: Root;
  readonly changes: readonly FileChange[];
  /** Folders that the call was made to create. */
  readonly folders: readonly string[];
  /** Removes all folders that the call created, as far as nothing is in them. Gives those of `folders` that stayed. */
  removeFolders(): readonly string[];
  close(): void;
}

/** The entry that stands in the way of undoing its call, and why. */
export type UndoObstacle =
  | { readonly why: 'changed'; readonly entry: Entry; readonly now: Content | null | 'unreadable' }
  | { readonly why: 'not_kept'; readonly entry: Entry }
  | { readonly why: 'refused'; readonly entry: Entry; readonly refusal: WorkspaceRefusal };

/** Works out how to restore everything that a call changed. `anyway` restores what somebody changed since, too. */
export async function planUndo(
  root: Root,
  entries: readonly Entry[],
  ports: ChangePorts,
  anyway = false,
): Promise<UndoPlan | UndoObstacle> {
  const changes: FileChange[] = [];
  const close = () => {
    for (const { file } of changes) file?.close();
  };
  let isWhole = false;
  try {
    for (const entry of entries) {
      // A folder that came has no content. It goes last, if nothing is in it.
      if (entry.kind === 'directory') continue;
      const now = await contentNow(root, entry.path, ports);
      if (now !== 'unreadable' && isSame(now, entry.before)) continue;
      if (now === 'unreadable' || (!anyway && !isSame(now, entry.after)))
        return { why: 'changed', entry, now };
      const earlier = entry.before && ports.undo.contentBefore(entry);
      if (earlier === undefined) return { why: 'not_kept', entry };
      const file = now === null ? undefined : ports.workspace.file(root, entry.path, 'write');
      if (file && isRefusal(file)) return { why: 'refused', entry, refusal: file };
      // A path that nothing may be written to would be refused after the owner was asked.
      const place = file ? undefined : ports.workspace.lookAt(root, entry.path);
      if (place && isRefusal(place)) return { why: 'refused', entry, refusal: place };
      place?.close();
      const before = file ? await readWhole(file, ports.disk) : null;
      const { path, parents } = entry;
      const mode = entry.before?.mode;
      changes.push({ path, file, before, after: earlier, mode, parents: file ? [] : parents });
    }
    isWhole = true;
  } finally {
    if (!isWhole) close();
  }
  const folders = entries.flatMap(({ kind, path }) => (kind === 'directory' ? [path] : []));
  const removeFolders = () =>
    entries.flatMap(({ before, kind, path, parents }) => {
      if (before !== null) return [];
      const made = kind === 'directory' ? [...parents, path] : parents;
      return ports.workspace.removeEmpty(root, made).filter((left) => folders.includes(left));
    });
  return { root, changes, folders, removeFolders, close };
}
