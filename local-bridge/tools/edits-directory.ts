import type { Output } from '../../contracts/contract.ts';
import type { createDirectory } from '../../contracts/edits.ts';
import type { Call, Handler, Refusal, Success } from '../../src/core/call.ts';
import { type ChangePorts, noteDirectory } from '../undo/changes.ts';
import { errnoOf } from '../workspace/disk.ts';
import { shown } from '../workspace/path-rules.ts';
import { isRefusal, type WorkspaceRefusal } from '../workspace/refusal.ts';
import type { Place } from '../workspace/workspace.ts';
import { syncDirectory } from '../workspace/write-file.ts';
import { detailOf, writeFailure } from './edits-failures.ts';

type CreateDirectory = typeof createDirectory;

/** Like `mkdir -p`, step by step through directories that are checked. */
export const makeDirectory: Handler<CreateDirectory, ChangePorts> = async (input, call, ports) => {
  const started = performance.now();
  const { path } = input;
  const root = ports.workspace.root(input.root);
  if (isRefusal(root)) return notMade(root, path, call);
  if (path === '.') return made(started, path, [], root.path, 'before', call);
  const place = ports.workspace.place(root, path, 'create');
  if (isRefusal(place)) return notMade(place, path, call);
  const { created, location } = place;
  try {
    const was = makeIn(place, ports);
    if (was === 'something else') return existsAsFile(path, call);
    if (was === 'before') return made(started, path, created, location, was, call);
    await syncDirectory(place, ports.disk);
    await noteDirectory(place, { id: call.id, tool: 'create_directory' }, ports);
    return made(started, path, created, location, was, call);
  } catch (error) {
    ports.workspace.removeEmpty(root, [...created, path]);
    const { code, detail } = writeFailure(error, 'Cannot create directory');
    return call.fail(code, detail);
  } finally {
    place.close();
  }
};

type Was = 'made' | 'before' | 'something else';

function makeIn({ directory, name }: Place, { disk }: ChangePorts): Was {
  return directory.use((here) => {
    try {
      disk.makeDirectory(`${here}/${name}`);
      return 'made';
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
      return disk.lstat(`${here}/${name}`).isDirectory() ? 'before' : 'something else';
    }
  });
}

function made(
  started: number,
  path: string,
  created: readonly string[],
  location: string,
  was: Was,
  call: Call<CreateDirectory>,
): Success<Output<CreateDirectory>> {
  const existed = was === 'before';
  return call.ok({
    success: true,
    output: existed ? `Directory already exists: ${path}` : `Created directory: ${path}`,
    files_affected: existed ? [] : [path],
    execution_time_ms: Math.round(performance.now() - started),
    metadata: { created_parents: [...created], already_existed: existed, location },
  });
}

function existsAsFile(path: string, call: Call<CreateDirectory>): Refusal {
  return call.fail('file_exists', `Path '${shown(path)}' exists as a file, cannot create directory`);
}

function notMade(refusal: WorkspaceRefusal, path: string, call: Call<CreateDirectory>): Refusal {
  const { code, message, at } = refusal;
  if (code === 'not_a_directory') return existsAsFile(at ?? path, call);
  if (code === 'permission_denied') return call.fail(code, 'Cannot create directory - permission denied');
  if (code === 'not_found' || code === 'not_a_file') return call.fail('write_failed', message);
  return call.fail(code, detailOf(refusal));
}
