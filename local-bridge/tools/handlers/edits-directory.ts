import type { Input, Output } from '../../../contracts/contract.ts';
import type { createDirectory } from '../../../contracts/edits.ts';
import type { Refusal, Success } from '../../../src/core/call.ts';
import type { Call, Handler } from '../../../src/core/handler.ts';
import { stateOf } from '../../../src/core/preview.ts';
import { type ChangePorts, noteDirectory } from '../undo/changes.ts';
import { type Disk, errnoOf } from '../workspace/disk.ts';
import type { Place, Root } from '../workspace/held.ts';
import { shown } from '../workspace/path-rules.ts';
import { isRefusal, type WorkspaceRefusal } from '../workspace/refusal.ts';
import { isThere, syncDirectory } from '../workspace/write-file.ts';
import { detailOf, type Fails, writeFailure } from './edits-failures.ts';

type CreateDirectory = typeof createDirectory;

/** A folder that exists or can be made, as far as can be known in advance. */
interface NewFolder {
  readonly root: Root;
  readonly location: string;
  /** Folders that would be made first, outermost first. */
  readonly parents: readonly string[];
  readonly exists: boolean;
  readonly state: string;
}

/** Decides whether a folder can be made. The call and its preview both use it. */
export function planFolder(
  { path, root: asked }: Input<CreateDirectory>,
  call: Fails<CreateDirectory>,
  { workspace, disk }: ChangePorts,
): NewFolder | Refusal {
  const root = workspace.root(asked);
  if (isRefusal(root)) return notMade(root, path, call);
  if (path === '.') return planned(root, root.path, [], true);
  const place = workspace.lookAt(root, path);
  if (isRefusal(place)) return notMade(place, path, call);
  try {
    const { location, created } = place;
    const exists = isThere(place, disk);
    if (exists && whatIs(place, disk) !== 'before') return existsAsFile(path, call);
    if (!exists) place.directory.use((here) => disk.mayAdd(here));
    return planned(root, location, created, exists);
  } catch (error) {
    return notWritten(error, call);
  } finally {
    place.close();
  }
}

function planned(root: Root, location: string, parents: readonly string[], exists: boolean): NewFolder {
  return { root, location, parents, exists, state: stateOf(exists ? 'folder' : 'no folder', location) };
}

/** Makes a folder like `mkdir -p`, step by step through checked directories. */
export const makeDirectory: Handler<CreateDirectory, ChangePorts> = async (input, call, ports) => {
  const started = performance.now();
  const { path } = input;
  const plan = planFolder(input, call, ports);
  if ('kind' in plan) return plan;
  const { root } = plan;
  // The folder appeared meanwhile, so there is nothing to do.
  if (plan.exists) return made(started, path, [], plan.location, 'before', call);
  const changed = call.changedSince(plan.state);
  if (changed) return changed;
  const place = ports.workspace.place(root, path, 'create');
  if (isRefusal(place)) return notMade(place, path, call);
  const { created, location } = place;
  try {
    const was = makeIn(place, ports);
    if (was === 'something else') return existsAsFile(path, call);
    if (was === 'before') return made(started, path, created, location, was, call);
    await syncDirectory(place, ports.disk);
    await noteDirectory(
      place,
      { id: call.id, tool: 'create_directory', principal: call.caller.principal },
      ports,
    );
    return made(started, path, created, location, was, call);
  } catch (error) {
    ports.workspace.removeEmpty(root, [...created, path]);
    return notWritten(error, call);
  } finally {
    place.close();
  }
};

type Was = 'made' | 'before' | 'something else';

function makeIn(place: Place, { disk }: ChangePorts): Was {
  try {
    place.directory.use((here) => disk.makeDirectory(`${here}/${place.name}`));
    return 'made';
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    return whatIs(place, disk);
  }
}

function whatIs({ directory, name }: Place, disk: Disk): Exclude<Was, 'made'> {
  const isFolder = directory.use((here) => disk.lstat(`${here}/${name}`).isDirectory());
  return isFolder ? 'before' : 'something else';
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

function notWritten(error: unknown, call: Fails<CreateDirectory>): Refusal {
  const { code, detail } = writeFailure(error, 'Cannot create directory');
  return call.fail(code, detail);
}

function existsAsFile(path: string, call: Fails<CreateDirectory>): Refusal {
  return call.fail('file_exists', `Path '${shown(path)}' exists as a file, cannot create directory`);
}

function notMade(refusal: WorkspaceRefusal, path: string, call: Fails<CreateDirectory>): Refusal {
  const { code, message, at } = refusal;
  if (code === 'not_a_directory') return existsAsFile(at ?? path, call);
  if (code === 'permission_denied') return call.fail(code, 'Cannot create directory - permission denied');
  if (code === 'not_found' || code === 'not_a_file') return call.fail('write_failed', message);
  return call.fail(code, detailOf(refusal));
}
