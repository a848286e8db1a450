import { type createFile, MAX_FILE_BYTES, type replaceStringInFile } from '../../contracts/edits.ts';
import type { Call, Handler, Refusal } from '../../src/core/call.ts';
import { addFile, type ChangePorts, changeFile } from '../undo/changes.ts';
import { shown } from '../workspace/path-rules.ts';
import { readWhole } from '../workspace/read-content.ts';
import { isRefusal, type WorkspaceRefusal } from '../workspace/refusal.ts';
import { isThere } from '../workspace/write-file.ts';
import { makeDirectory } from './edits-directory.ts';
import { detailOf, writeFailure } from './edits-failures.ts';
import { replaceFirst } from './edits-replace.ts';
import { isBinary } from './files-text.ts';

type CreateFile = typeof createFile;
type Replace = typeof replaceStringInFile;

const createOne: Handler<CreateFile, ChangePorts> = async (input, call, ports) => {
  const started = performance.now();
  const { workspace, disk } = ports;
  const { path } = input;
  const root = workspace.root(input.root);
  if (isRefusal(root)) return notCreated(root, path, call);
  const place = workspace.place(root, path, 'create');
  if (isRefusal(place)) return notCreated(place, path, call);
  const bytes = Buffer.from(input.content);
  try {
    if (isThere(place, disk)) return alreadyThere(path, call);
    await addFile(place, bytes, { id: call.id, tool: 'create_file', signal: call.signal }, ports);
  } catch (error) {
    // Folders that were only made for it go with it.
    ports.workspace.removeEmpty(root, place.created);
    const { code, detail } = writeFailure(error, `Cannot create file '${shown(path)}'`);
    return code === 'file_exists' ? alreadyThere(path, call) : call.fail(code, detail);
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

function alreadyThere(path: string, call: Call<CreateFile>): Refusal {
  return call.fail(
    'file_exists',
    `File '${shown(path)}' already exists. Use replace_string_in_file to modify`,
  );
}

function notCreated(refusal: WorkspaceRefusal, path: string, call: Call<CreateFile>): Refusal {
  const { code, message } = refusal;
  if (code === 'permission_denied') {
    return call.fail(code, `Cannot create file '${shown(path)}' - permission denied`);
  }
  // Opening the way to a file makes what is missing, and never looks at the file itself.
  if (code === 'not_found' || code === 'not_a_file') return call.fail('write_failed', message);
  return call.fail(code, detailOf(refusal));
}

const replaceOne: Handler<Replace, ChangePorts> = async (input, call, ports) => {
  const started = performance.now();
  const { path, old_string, new_string } = input;
  const root = ports.workspace.root(input.root);
  if (isRefusal(root)) return notReplaced(root, path, call);
  const file = ports.workspace.file(root, path, 'write');
  if (isRefusal(file)) return notReplaced(file, path, call);
  try {
    if (file.stats.size > MAX_FILE_BYTES) return call.fail('file_too_large', tooLarge(path, 'is'));
    const before = await readWhole(file, ports.disk);
    if (isBinary(before)) return call.fail('binary_file', `File '${shown(path)}' appears to be binary`);
    const replaced = replaceFirst(before, old_string, new_string);
    if (!replaced) {
      return call.fail('string_not_found', `String '${shown(old_string)}' not found in file`);
    }
    const { bytes, found, line } = replaced;
    if (bytes.length > MAX_FILE_BYTES) return call.fail('file_too_large', tooLarge(path, 'would be'));
    const cause = { id: call.id, tool: 'replace_string_in_file', signal: call.signal };
    await changeFile(file, before, bytes, cause, ports);
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
  } catch (error) {
    const { code, detail } = writeFailure(error, `Cannot change file '${shown(path)}'`);
    return call.fail(code === 'file_exists' ? 'write_failed' : code, detail);
  } finally {
    file.close();
  }
};

function tooLarge(path: string, how: string): string {
  return `File '${shown(path)}' ${how} larger than 10 MB`;
}

function notReplaced(refusal: WorkspaceRefusal, path: string, call: Call<Replace>): Refusal {
  const { code } = refusal;
  if (code === 'not_found' || code === 'not_a_directory') {
    return call.fail('file_not_found', `File '${shown(path)}' not found`);
  }
  if (code === 'permission_denied') {
    return call.fail(code, `Cannot change file '${shown(path)}' - permission denied`);
  }
  return call.fail(code, detailOf(refusal));
}

/** Handlers of the tools that change files, by the names of their contracts. */
export const editHandlers = {
  create_file: createOne,
  replace_string_in_file: replaceOne,
  create_directory: makeDirectory,
};
