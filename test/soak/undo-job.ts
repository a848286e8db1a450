import type { CallRecord } from './history.ts';
import { isOk, type Job, type Lane } from './lane.ts';

/** What says that there is nothing to put back, although the change was acknowledged and nobody touched the file since. */
const LOST = new Set(['nothing_to_undo', 'file_changed', 'not_kept']);

/** Changes a file, takes that back, and at times takes back that it was taken back. */
export const undo: Job = async (lane) => {
  const made = lane.newToken();
  const [path, before] = [`made/${made}.txt`, `${made}\n`];
  const created = await lane.send({
    ...{ tool: 'create_file', token: made, key: made, input: { path, content: before } },
    effect: { on: 'file', path, to: before },
  });
  if (!isOk(created)) return;
  const changed = lane.newToken();
  const after = `${changed}\n`;
  const change = await lane.send({
    ...{ tool: 'replace_string_in_file', token: changed, key: changed },
    input: { path, old_string: before, new_string: after },
    effect: { on: 'file', path, from: before, to: after },
  });
  const undone = await undoOf(lane, change, { path, from: after, to: before });
  if (undone && lane.random.whole(2) === 0) await undoOf(lane, undone, { path, from: before, to: after });
};

/** Takes a call back, if it was acknowledged, and gives the call that did so. */
async function undoOf(
  lane: Lane,
  call: CallRecord,
  put: { readonly path: string; readonly from: string; readonly to: string },
): Promise<CallRecord | undefined> {
  const { fullDisks } = lane.soFar();
  if (!isOk(call) || call.token === undefined) return undefined;
  const call_id = await lane.callIdOf(call.tool, call.token);
  if (call_id === undefined) return undefined;
  const token = lane.newToken();
  const record = await lane.send({
    ...{ tool: 'undo_call', token, key: token, input: { call_id }, effect: { on: 'file', ...put } },
  });
  const told = record.attempts.at(-1)?.told;
  const isLost = told?.is === 'failed' && LOST.has(told.code);
  // A full disk may not have taken what a file held before.
  if (isLost && lane.soFar().fullDisks === fullDisks) {
    const what = `${call.tool} ${call.token} was acknowledged, and undo_call says ${told.code}`;
    lane.note({ kind: 'answer', what, at: Date.now() });
  }
  return record;
}
