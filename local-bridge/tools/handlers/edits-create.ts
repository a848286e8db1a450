import type { Input } from '../../../contracts/contract.ts';
import type { createFile } from '../../../contracts/edits.ts';
import type { Refusal } from '../../../src/core/call.ts';
import type { Handler } from '../../../src/core/handler.ts';
import { stateOf } from '../../../src/core/preview.ts';
import { addFile, type ChangePorts } from '../undo/changes.ts';
import type { Root } from '../workspace/held.ts';
import { shown } from '../workspace/path-rules.ts';
import { isRefusal, type WorkspaceRefusal } from '../workspace/refusal.ts';
import { isThere } from '../workspace/write-file.ts';
import { detailOf, type Fails, writeFailure } from './edits-failures.ts';

type CreateFile = typeof createFile;

/** A file that can be made, as far as can be known in advance. */
interface NewFile {
  readonly root: Root;
  readonly bytes: Buffer;
  readonly location: string;
  /** Folders that would be made first, outermost first. */
  readonly parents: readonly string[];
  readonly state: string;
}

/** Decides whether a file can be made. The call and its preview both use it. */
export function planFile(
  { path, content, root: asked }: Input<CreateFile>,
  call: Fails<CreateFile>,
  { workspace, disk }: ChangePorts,
): NewFile | Refusal {
  const root = workspace.root(asked);
  if (isRefusal(root)) return notCreated(root, path, call);
  const place = workspace.lookAt(root, path);
  if (isRefusal(place)) return notCreated(place, path, call);
  const { location, created: parents } = place;
  try {
    if (isThere(place, disk)) return alreadyThere(path, call);
    place.directory.use((here) => disk.mayAdd(here));
  } catch (error) {
    return notWritten(error, path, call);
  } finally {
    place.close();
  }
  return { root, bytes: Buffer.from(content), location, parents, state: stateOf('no file', location) };
}

/** Creates a file and the folders above it. */
export const createOne: Handler<CreateFile, ChangePorts> = async (input, call, ports) => {
  const started = performance.now();
  const { workspace } = ports;
  const { path } = input;
  const plan = planFile(input, call, ports);
  if ('kind' in plan) return plan;
  const { root, bytes, state } = plan;
  const changed = call.changedSince(state);
  if (changed) return changed;
  const place = workspace.place(root, path, 'create');
  if (isRefusal(place)) return notCreated(place, path, call);
  try {
    // Anything that has the name by now stays as it is.
    const { id, signal, caller } = call;
    await addFile(place, bytes, { id, tool: 'create_file', signal, principal: caller.principal }, ports);
  } catch (error) {
    // Remove the folders that were made only for this file, too.
    workspace.removeEmpty(root, place.created);
    return notWritten(error, path, call);
  } finally {
    place.close();
  }
  return call.ok({
    success: true,
    output: `Created file: ${path} (${bytes.length} ${bytes.length === 1 ? 'byte' : 'bytes'})`,
    files_affected: [path],
    execution_time_ms: Math.round(performance.now() - started),
    metadata: {
      bytes_written: bytes.length,
      created_parents: [...place.created],
      location: place.location,
    },
  });
};

function notWritten(error: unknown, path: string, call: Fails<CreateFile>): Refusal {
  const { code, detail } = writeFailure(error, `Cannot create file '${shown(path)}'`);
  return code === 'file_exists' ? alreadyThere(path, call) : call.fail(code, detail);
}

function alreadyThere(path: string, call: Fails<CreateFile>): Refusal {
  return call.fail(
    'file_exists',
    `File '${shown(path)}' already exists. Use replace_string_in_file to modify`,
  );
}

function notCreated(refusal: WorkspaceRefusal, path: string, call: Fails<CreateFile>): Refusal {
  const { code, message } = refusal;
  if (code === 'permission_denied') {
    return call.fail(code, `Cannot create file '${shown(path)}' - permission denied`);
  }
  // Opening the folders above never looks at the file itself, so these codes mean a failed write.
  if (code === 'not_found' || code === 'not_a_file') return call.fail('write_failed', message);
  return call.fail(code, detailOf(refusal));
}
