import type { Input, Output } from '../../../contracts/contract.ts';
import type { undoOfCall } from '../../../contracts/undo.ts';
import { type Caller, OWNER_PRINCIPAL, type Refusal } from '../../../src/core/call.ts';
import type { Handler } from '../../../src/core/handler.ts';
import { type Previewer, stateOf } from '../../../src/core/preview.ts';
import type { ChangePorts } from '../undo/changes.ts';
import type { Entry } from '../undo/entry.ts';
import { planUndo, type UndoObstacle, type UndoPlan } from '../undo/plan-undo.ts';
import { changedSince, notKept } from '../undo/restore.ts';
import { changeFiles, kindOf } from '../undo/transaction.ts';
import { entriesOfCall } from '../undo/undo-call.ts';
import { errnoOf } from '../workspace/disk.ts';
import { shown } from '../workspace/path-rules.ts';
import { isRefusal } from '../workspace/refusal.ts';
import { CHANGED } from '../workspace/write-file.ts';
import { detailOf, type Fails, writeFailure } from './edits-failures.ts';
import { halfDone, MET_ANOTHER } from './edits-many.ts';
import { previewOf } from './edits-many-preview.ts';
import { fact } from './edits-previews.ts';

type Undo = typeof undoOfCall;

/** The most files that a preview lists. */
const MAX_LISTED = 200;
const MAX_EARLIER = 5;
const WHOLE = 'Look at it on the machine, with `bowline undo list`.';

/** The undoing of a call that the caller may undo. The holder must close its plan. */
interface Undoing {
  readonly callId: string;
  readonly tool: string;
  readonly plan: UndoPlan;
  readonly earlier: Output<Undo>['metadata']['earlier'];
  readonly state: string;
}

/**
 * Finds the call and decides whether it can be undone. A caller finds only calls of its own, because a diff shows what
 * another wrote. The owner finds all by their ids, and without one their own last, as everybody does.
 */
async function planOf(
  input: Input<Undo>,
  { principal }: Caller,
  call: Fails<Undo>,
  ports: ChangePorts,
): Promise<Undoing | Refusal> {
  const root = ports.workspace.root(input.root);
  if (isRefusal(root)) return call.fail('unknown_root', detailOf(root));
  const isOwn = (entry: Entry) =>
    entry.root.path === root.path && (principal === OWNER_PRINCIPAL || entry.principal === principal);
  const own = ports.undo.list().filter(isOwn);
  const isLast = (entry: Entry) => entry.tool !== 'undo_call' && entry.principal === principal;
  const wanted = input.call_id ?? idOf(own.find(isLast));
  const entries = wanted === undefined ? [] : entriesOfCall(wanted, ports.undo).filter(isOwn);
  const [first] = entries;
  if (wanted === undefined || !first) return call.fail('nothing_to_undo');
  const plan = await planUndo(root, entries, ports);
  if ('why' in plan) return refused(plan, call, ports);
  const parts = plan.changes.flatMap(({ path, before, after }) => [
    ...[path, before === null ? 'none' : 'file', before ?? ''],
    ...[after === null ? 'none' : 'file', after ?? ''],
  ]);
  const state = stateOf('undo', wanted, ...parts);
  return { callId: wanted, tool: first.tool, plan, earlier: earlierThan(first, own), state };
}

function idOf(entry: Entry | undefined): string | undefined {
  return entry?.group ?? entry?.id;
}

/** Names the calls before this one, so that a caller can go back step by step. */
function earlierThan(first: Entry, own: readonly Entry[]): Undoing['earlier'] {
  const found = new Map<string, Undoing['earlier'][number]>();
  for (const entry of own) {
    const id = idOf(entry);
    if (id === undefined || id === idOf(first) || entry.at > first.at || found.has(id)) continue;
    found.set(id, { call_id: id, tool: entry.tool, path: entry.path });
    if (found.size === MAX_EARLIER) break;
  }
  return [...found.values()];
}

function refused(obstacle: UndoObstacle, call: Fails<Undo>, ports: ChangePorts): Refusal {
  if (obstacle.why === 'not_kept') return call.fail('not_kept', notKept(obstacle.entry).message);
  if (obstacle.why === 'changed')
    return call.fail('file_changed', changedSince(obstacle.entry, obstacle.now, ports).message);
  const { refusal } = obstacle;
  const { code } = refusal;
  // The folder above became a file, or the file went meanwhile.
  return call.fail(
    code === 'not_found' || code === 'not_a_directory' ? 'file_changed' : code,
    detailOf(refusal),
  );
}

/** Puts back what a call changed, all or none. */
export const undoOne: Handler<Undo, ChangePorts> = async (input, call, ports) => {
  const started = performance.now();
  const undoing = await planOf(input, call.caller, call, ports);
  if ('kind' in undoing) return undoing;
  const { plan, callId, tool, earlier, state } = undoing;
  try {
    const changed = call.changedSince(state);
    if (changed) return changed;
    const { id, signal, caller } = call;
    const cause = { id, tool: 'undo_call', signal, principal: caller.principal };
    await changeFiles(plan.root, plan.changes, cause, ports);
  } catch (error) {
    const changed = MET_ANOTHER.has(errnoOf(error) ?? '') ? call.changedSince(CHANGED) : undefined;
    return changed ?? notUndone(error, call);
  } finally {
    plan.close();
  }
  const left = [...new Set(plan.removeFolders())];
  const gone = plan.folders.filter((path) => !left.includes(path));
  const paths = plan.changes.map(({ path }) => path);
  return call.ok({
    success: true,
    output: sentenceOf(paths, gone),
    files_affected: [...paths, ...gone],
    execution_time_ms: Math.round(performance.now() - started),
    metadata: {
      call_id: callId,
      tool,
      changes: plan.changes.map(({ path, before, after }) => ({ path, change: kindOf(before, after) })),
      earlier,
      ...(left.length > 0 ? { warning: `Folders with something in them stayed: ${left.join(', ')}` } : {}),
    },
  });
};

function notUndone(error: unknown, call: Fails<Undo>): Refusal {
  const half = halfDone(error, 'Undoing');
  if (half) return call.fail('write_failed', half);
  const { code, detail } = writeFailure(error, 'Nothing was undone');
  return call.fail(code === 'file_exists' ? 'file_changed' : code, detail);
}

function sentenceOf(paths: readonly string[], gone: readonly string[]): string {
  const files = `Put back ${paths.length === 1 ? '1 file' : `${paths.length} files`}: ${paths.join(', ')}`;
  const folders = `Removed ${gone.length === 1 ? 'the folder' : 'the folders'} ${gone.join(', ')}`;
  if (paths.length === 0)
    return gone.length === 0 ? 'Everything is already as it was before the call' : folders;
  return gone.length === 0 ? files : `${files}. ${folders}`;
}

/** Says what undoing would do: every file, and one diff. */
export const previewUndo: Previewer<Undo, ChangePorts> = async (input, call, ports) => {
  const undoing = await planOf(input, call.caller, call, ports);
  if ('kind' in undoing) return undoing;
  const { plan, callId, tool, state } = undoing;
  const { folders } = plan;
  plan.close();
  const count = plan.changes.length;
  const files = count === 1 ? 'one file' : `${count} files`;
  const head = [
    fact(`Undoes the call ${callId} of ${tool}.`),
    count === 0 && folders.length === 0
      ? fact('Everything is already as it was before that call, so nothing would change.')
      : fact(`Puts ${files} back as before that call: all of it or nothing.`),
  ];
  const notes = folders.map((path) => fact(`Removes the folder ${shown(path)} if nothing is in it.`));
  const preview = await previewOf(plan.changes, { head, warnings: [], notes, whole: WHOLE });
  // A list that is not whole would let a rule overlook a file.
  const isListed = (preview.files?.length ?? 0) <= MAX_LISTED;
  return { ...preview, ...(isListed ? {} : { files: null }), state };
};
