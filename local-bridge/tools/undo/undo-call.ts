import { shown } from '../workspace/path-rules.ts';
import type { Cause, ChangePorts } from './changes.ts';
import type { Entry } from './entry.ts';
import type { UndoJournal } from './journal.ts';
import { planUndo, type UndoObstacle } from './plan-undo.ts';
import { changedSince, notKept, type Restored, undoChange } from './restore.ts';
import { changeFiles } from './transaction.ts';

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
  const plan = await planUndo(root, entries, ports, anyway);
  if ('why' in plan) return inWords(plan, ports);
  try {
    await changeFiles(root, plan.changes, cause, ports);
  } finally {
    plan.close();
  }
  plan.removeFolders();
  const paths = plan.changes.map(({ path }) => shown(path));
  const message =
    paths.length === 0
      ? 'Everything is already as it was before the call'
      : `Put back ${paths.length === 1 ? '1 file' : `${paths.length} files`}: ${paths.join(', ')}`;
  return { done: true, message };
}

function inWords(obstacle: UndoObstacle, ports: ChangePorts): Restored {
  if (obstacle.why === 'changed') return changedSince(obstacle.entry, obstacle.now, ports);
  if (obstacle.why === 'not_kept') return notKept(obstacle.entry);
  return { done: false, ...obstacle.refusal };
}
