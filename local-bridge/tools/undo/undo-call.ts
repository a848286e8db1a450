import { shown } from '../workspace/path-rules.ts';
import { readWhole } from '../workspace/read-content.ts';
import { isRefusal } from '../workspace/refusal.ts';
import { type Cause, type ChangePorts, contentNow } from './changes.ts';
import type { Entry } from './entry.ts';
import type { UndoJournal } from './journal.ts';
import { changedSince, isSame, notKept, type Restored, undoChange } from './restore.ts';
import { changeFiles, type FileChange } from './transaction.ts';

/** Gives the changes of a call: one entry, or all of its group. */
export function entriesOfCall(call: string, undo: UndoJournal): readonly Entry[] {
  return undo.list().filter(({ id, group }) => id === call || group === call);
}

/** Restores everything that a call changed, all or none. The owner can undo this too. */
export async function undoCall(
  entries: readonly Entry[],
  cause: Cause,
  ports: ChangePorts,
  anyway = false,
): Promise<Restored> {
  const [first] = entries;
  const root = ports.workspace.roots.find(({ path }) => path === first?.root.path);
  if (!first || !root) return { done: false, message: 'The folder of that call is not open any more' };
  if (first.group === undefined) return undoChange(first, root, cause, ports, anyway);
  const changes: FileChange[] = [];
  try {
    for (const entry of entries) {
      // A folder that came has no content. It goes last, if nothing is in it.
      if (entry.kind === 'directory') continue;
      const now = await contentNow(root, entry.path, ports);
      if (now !== 'unreadable' && isSame(now, entry.before)) continue;
      if (now === 'unreadable' || (!anyway && !isSame(now, entry.after)))
        return changedSince(entry, now, ports);
      const earlier = entry.before && ports.undo.contentBefore(entry);
      if (earlier === undefined) return notKept(entry);
      const file = now === null ? undefined : ports.workspace.file(root, entry.path, 'write');
      if (file && isRefusal(file)) return { done: false, ...file };
      const before = file ? await readWhole(file, ports.disk) : null;
      changes.push({
        path: entry.path,
        file,
        before,
        after: earlier,
        mode: entry.before?.mode,
        parents: file ? [] : entry.parents,
      });
    }
    await changeFiles(root, changes, cause, ports);
  } finally {
    for (const { file } of changes) file?.close();
  }
  for (const { before, kind, path, parents } of entries) {
    if (before !== null) continue;
    ports.workspace.removeEmpty(root, kind === 'directory' ? [...parents, path] : parents);
  }
  const paths = changes.map(({ path }) => shown(path));
  const message =
    paths.length === 0
      ? 'Everything is already as it was before the call'
      : `Put back ${paths.length === 1 ? '1 file' : `${paths.length} files`}: ${paths.join(', ')}`;
  return { done: true, message };
}
