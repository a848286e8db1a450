import type { Input } from '../../../contracts/contract.ts';
import { MAX_FILE_BYTES, type replaceStringInFile } from '../../../contracts/edits.ts';
import type { Refusal } from '../../../src/core/call.ts';
import type { Handler } from '../../../src/core/handler.ts';
import { stateOf } from '../../../src/core/preview.ts';
import { type ChangePorts, changeFile } from '../undo/changes.ts';
import { errnoOf } from '../workspace/disk.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import { shown } from '../workspace/path-rules.ts';
import { readWhole } from '../workspace/read-content.ts';
import { isRefusal, type WorkspaceRefusal } from '../workspace/refusal.ts';
import { CHANGED } from '../workspace/write-file.ts';
import { detailOf, type Fails, writeFailure } from './edits-failures.ts';
import { type Replaced, replaceFirst } from './edits-replace.ts';
import { isBinary } from './files-text.ts';

type Replace = typeof replaceStringInFile;

/** A change that can be made, with the file still open. */
interface FileChange {
  /** The holder of the plan must close this. */
  readonly file: OpenFile;
  readonly before: Buffer;
  readonly replaced: Replaced;
  readonly state: string;
}

/** Decides whether a string can be replaced, and with what result. The call and its preview both use it. */
export async function planChange(
  input: Input<Replace>,
  call: Fails<Replace>,
  ports: ChangePorts,
): Promise<FileChange | Refusal> {
  const { path } = input;
  const root = ports.workspace.root(input.root);
  if (isRefusal(root)) return notReplaced(root, path, call);
  const file = ports.workspace.file(root, path, 'write');
  if (isRefusal(file)) return notReplaced(file, path, call);
  let plan: FileChange | Refusal | undefined;
  try {
    plan = await planIn(file, input, call, ports);
    return plan;
  } catch (error) {
    return notWritten(error, path, call);
  } finally {
    if (!plan || 'kind' in plan) file.close();
  }
}

async function planIn(
  file: OpenFile,
  { path, old_string, new_string }: Input<Replace>,
  call: Fails<Replace>,
  { disk }: ChangePorts,
): Promise<FileChange | Refusal> {
  if (file.stats.size > MAX_FILE_BYTES) return call.fail('file_too_large', tooLarge(path, 'is'));
  const before = await readWhole(file, disk);
  if (isBinary(before)) return call.fail('binary_file', `File '${shown(path)}' appears to be binary`);
  const replaced = replaceFirst(before, old_string, new_string);
  if (!replaced) return call.fail('string_not_found', `String '${shown(old_string)}' not found in file`);
  if (replaced.bytes.length > MAX_FILE_BYTES) return call.fail('file_too_large', tooLarge(path, 'would be'));
  // Writing needs room beside the old file for the new one.
  file.directory.use((here) => disk.mayAdd(here));
  return { file, before, replaced, state: stateOf('file', file.location, before) };
}

/** Replaces a string in a file, and keeps the file's earlier content. */
export const replaceOne: Handler<Replace, ChangePorts> = async (input, call, ports) => {
  const started = performance.now();
  const { path } = input;
  const plan = await planChange(input, call, ports);
  if ('kind' in plan) return plan;
  const { file, before, replaced, state } = plan;
  const { found, line } = replaced;
  try {
    const changed = call.changedSince(state);
    if (changed) return changed;
    const { id, signal, caller } = call;
    const cause = { id, tool: 'replace_string_in_file', signal, principal: caller.principal };
    await changeFile(file, before, replaced.bytes, cause, ports);
  } catch (error) {
    // If the file changed meanwhile, the owner has not seen this state either.
    const changed = WAS_CHANGED.has(errnoOf(error) ?? '') ? call.changedSince(CHANGED) : undefined;
    return changed ?? notWritten(error, path, call);
  } finally {
    file.close();
  }
  const warning =
    found > 1 ? `Found ${found} occurrences, replaced only the first at line ${line}` : undefined;
  const head = `Replaced 1 occurrence in ${path}`;
  return call.ok({
    success: true,
    output: warning === undefined ? head : `${head}\nWarning: ${warning}`,
    files_affected: [path],
    execution_time_ms: Math.round(performance.now() - started),
    metadata: {
      occurrences_found: found,
      occurrences_replaced: 1,
      lines_changed: [line],
      location: file.location,
      ...(warning === undefined ? {} : { warning }),
    },
  });
};

/** The errors of a write that met another write. */
const WAS_CHANGED: ReadonlySet<string> = new Set([CHANGED, 'ENOENT']);

function notWritten(error: unknown, path: string, call: Fails<Replace>): Refusal {
  const { code, detail } = writeFailure(error, `Cannot change file '${shown(path)}'`);
  return call.fail(code === 'file_exists' ? 'write_failed' : code, detail);
}

function tooLarge(path: string, how: string): string {
  return `File '${shown(path)}' ${how} larger than 10 MB`;
}

function notReplaced(refusal: WorkspaceRefusal, path: string, call: Fails<Replace>): Refusal {
  const { code } = refusal;
  if (code === 'not_found' || code === 'not_a_directory') {
    const message = `File '${shown(path)}' not found`;
    return call.fail('file_not_found', { ...detailOf(refusal), message });
  }
  if (code === 'permission_denied') {
    return call.fail(code, `Cannot change file '${shown(path)}' - permission denied`);
  }
  return call.fail(code, detailOf(refusal));
}
