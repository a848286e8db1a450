import { setImmediate as yieldOnce } from 'node:timers/promises';
import type { Input } from '../../../contracts/contract.ts';
import type { editFiles } from '../../../contracts/edit-files.ts';
import { MAX_FILE_BYTES } from '../../../contracts/edits.ts';
import type { Refusal } from '../../../src/core/call.ts';
import type { FailureDetail } from '../../../src/core/failure.ts';
import type { Handler } from '../../../src/core/handler.ts';
import type { ChangePorts } from '../undo/changes.ts';
import { contentOf } from '../undo/journal.ts';
import { changeFiles, type FileChange, HALF_DONE, kindOf } from '../undo/transaction.ts';
import { errnoOf } from '../workspace/disk.ts';
import { shown } from '../workspace/path-rules.ts';
import { CHANGED } from '../workspace/write-file.ts';
import { type Fails, writeFailure } from './edits-failures.ts';
import { replaceAll, replaceFirst, withLineEndsOf } from './edits-replace.ts';
import { type Desk, openDesk, type Slot } from './edits-slots.ts';
import { isBinary } from './files-text.ts';

type EditFiles = typeof editFiles;
type Edit = Input<EditFiles>['edits'][number];

/** The most bytes in one call. More would strain the memory and the journal. */
const MAX_CALL_BYTES = 64 * 1024 * 1024;

/** Works out the new content of a call's files, and holds them open. The caller must close the desk. */
export async function planEdits(
  input: Input<EditFiles>,
  call: Fails<EditFiles>,
  ports: ChangePorts,
): Promise<Desk | Refusal> {
  const desk = openDesk(input.root, call, ports);
  if ('kind' in desk) return desk;
  let refused: Refusal | undefined;
  try {
    for (const edit of input.edits) {
      // Look after each edit: the next may double what this one made, or open more.
      refused = (await applied(edit, desk, call)) ?? tooLarge(desk, call);
      if (refused) return refused;
      // Edits of long files must not keep the machine from its other calls.
      await yieldOnce();
    }
    return desk;
  } catch (error) {
    refused = notWritten(error, call);
    return refused;
  } finally {
    if (refused) desk.close();
  }
}

/** Applies one edit in memory. */
async function applied(edit: Edit, desk: Desk, call: Fails<EditFiles>): Promise<Refusal | undefined> {
  const { op, path, text = '', to } = edit;
  const slot = await desk.slot(path);
  if ('kind' in slot) return slot;
  const name = shown(path);
  if (
    edit.sha256 !== undefined &&
    (slot.before === null || contentOf(slot.before, 0).sha256 !== edit.sha256)
  ) {
    return call.fail('file_changed', `File '${name}' does not have the SHA-256 that was given`);
  }
  if (op === 'create') {
    if (slot.now !== null) return call.fail('file_exists', `File '${name}' already exists`);
    slot.now = Buffer.from(text);
    return undefined;
  }
  if (slot.now === null) return call.fail('file_not_found', `File '${name}' not found`);
  if (op === 'overwrite') slot.now = Buffer.from(text);
  else if (op === 'delete') slot.now = null;
  else if (op === 'move') return moved(slot, to ?? '', desk, call);
  else return rewritten(slot, edit, slot.now, call);
  return undefined;
}

async function moved(
  slot: Slot,
  to: string,
  desk: Desk,
  call: Fails<EditFiles>,
): Promise<Refusal | undefined> {
  const target = await desk.slot(to);
  if ('kind' in target) return target;
  if (target.now !== null) return call.fail('file_exists', `File '${shown(to)}' already exists`);
  target.now = slot.now;
  target.mode = slot.mode;
  slot.now = null;
  return undefined;
}

/** Applies an edit to a text. */
function rewritten(
  slot: Slot,
  { op, path, old = '', text = '', line = 1 }: Edit,
  now: Buffer,
  call: Fails<EditFiles>,
): Refusal | undefined {
  const name = shown(path);
  if (isBinary(now)) return call.fail('binary_file', `File '${name}' appears to be binary`);
  if (op === 'append') {
    slot.now = Buffer.concat([now, Buffer.from(withLineEndsOf(now, text))]);
    return undefined;
  }
  if (op === 'insert') {
    const at = startOfLine(now, line);
    if (at === undefined) return call.fail('line_not_found', `File '${name}' has no line ${line}`);
    const put = Buffer.from(withLineEndsOf(now, text));
    slot.now = Buffer.concat([now.subarray(0, at), put, now.subarray(at)]);
    return undefined;
  }
  const replaced = op === 'replace_all' ? replaceAll(now, old, text) : replaceFirst(now, old, text);
  if (replaced === 'too large') return wouldBeTooLarge(path, call);
  if (!replaced) return call.fail('string_not_found', `String '${shown(old)}' not found in '${name}'`);
  if (op === 'replace' && replaced.found > 1) {
    return call.fail('string_not_unique', `String '${shown(old)}' is in '${name}' ${replaced.found} times`);
  }
  slot.now = replaced.bytes;
  return undefined;
}

/** Gives the place of a line. The line after the last one has a place, too. */
function startOfLine(bytes: Buffer, line: number): number | undefined {
  let [at, left] = [0, line - 1];
  for (let i = 0; i < bytes.length && left > 0; i++) {
    if (bytes[i] !== 10) continue;
    at = i + 1;
    left -= 1;
  }
  if (left === 0) return at;
  return left === 1 && at < bytes.length ? bytes.length : undefined;
}

function tooLarge(desk: Desk, call: Fails<EditFiles>): Refusal | undefined {
  let all = 0;
  for (const { path, before, now } of desk.slots()) {
    if ((now?.length ?? 0) > MAX_FILE_BYTES) {
      return wouldBeTooLarge(path, call);
    }
    all += (before?.length ?? 0) + (now?.length ?? 0);
  }
  if (all <= MAX_CALL_BYTES) return undefined;
  return call.fail('file_too_large', {
    message: 'The files of this call have more than 64 MB in all',
    suggestion: 'Make fewer edits in a call.',
  });
}

function wouldBeTooLarge(path: string, call: Fails<EditFiles>): Refusal {
  return call.fail('file_too_large', `File '${shown(path)}' would be larger than 10 MB`);
}

/** Gives the files that the edits change. */
export function changesOf(desk: Desk): FileChange[] {
  return desk.slots().flatMap(({ path, file, before, now, mode, parents }) => {
    const isSame = before === null ? now === null : now !== null && before.equals(now);
    return isSame ? [] : [{ path, file, before, after: now, mode, parents }];
  });
}

/** Makes several edits, all or none. */
export const editMany: Handler<EditFiles, ChangePorts> = async (input, call, ports) => {
  const started = performance.now();
  const desk = await planEdits(input, call, ports);
  if ('kind' in desk) return desk;
  const changes = changesOf(desk);
  try {
    const changed = call.changedSince(desk.state());
    if (changed) return changed;
    const { id, signal, caller } = call;
    await changeFiles(
      desk.root,
      changes,
      { id, tool: 'edit_files', signal, principal: caller.principal },
      ports,
    );
  } catch (error) {
    const changed = MET_ANOTHER.has(errnoOf(error) ?? '') ? call.changedSince(CHANGED) : undefined;
    return changed ?? notWritten(error, call);
  } finally {
    desk.close();
  }
  const paths = changes.map(({ path }) => path);
  const count = paths.length === 1 ? '1 file' : `${paths.length} files`;
  return call.ok({
    success: true,
    output: paths.length === 0 ? 'Nothing had to be changed' : `Changed ${count}: ${paths.join(', ')}`,
    files_affected: paths,
    execution_time_ms: Math.round(performance.now() - started),
    metadata: {
      changes: changes.map(({ path, before, after }) => ({
        path,
        change: kindOf(before, after),
        bytes: after?.length ?? 0,
        sha256: after && contentOf(after, 0).sha256,
      })),
      created_parents: [...new Set(changes.flatMap(({ parents, after }) => (after === null ? [] : parents)))],
    },
  });
};

/** The errors of a write that met another write. */
export const MET_ANOTHER: ReadonlySet<string> = new Set([CHANGED, 'ENOENT', 'EEXIST']);

function notWritten(error: unknown, call: Fails<EditFiles>): Refusal {
  const half = halfDone(error, 'The edits');
  if (half) return call.fail('write_failed', half);
  const { code, detail } = writeFailure(error, 'The edits were not made');
  return call.fail(code, detail);
}

/** Describes a failure that left some changes made; `undefined` for any other. */
export function halfDone(error: unknown, what: string): FailureDetail | undefined {
  if (errnoOf(error) !== HALF_DONE) return undefined;
  return {
    message: `${what} failed in the middle, and the changes already made could not be taken back yet`,
    suggestion: 'Ask the owner to start the bridge again, which takes them back. Then look at the files.',
  };
}
