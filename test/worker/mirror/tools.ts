import { writeMemoryEntry } from '../../../contracts/memory.ts';
import { listRepo, readRepoFile } from '../../../contracts/repo.ts';
import { fetchDocument, searchDocuments } from '../../../contracts/search.ts';
import type { Result } from '../../../src/core/call.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { makeMemory } from '../../../src/memory/memory-port.ts';
import type { Mirror } from '../../../src/mirror/mirror-port.ts';
import { mirrorResources } from '../../../src/surfaces/mirror-resources.ts';
import { resourceTools } from '../../../src/surfaces/resource-tools.ts';
import { previewMemory, writeMemory } from '../../../src/tools/memory.ts';
import { listMirrored, readRepo } from '../../../src/tools/repo.ts';
import { fetchFound, searchRepoAndMemory } from '../../../src/tools/search.ts';
import { endpoint } from '../../support/mcp-endpoint.ts';
import { everyone, WatchedDoor } from '../../support/tools.ts';
import { newMemory } from '../memory/support.ts';
import { newMirror } from './support.ts';

export const ORIGIN = 'https://bowline.example';

/** The tools over a mirror and a memory of their own, through a door that lets everything in. */
export function repoTools(mirror: Mirror = newMirror()) {
  const stub = newMemory();
  const memory = makeMemory({
    stub: () => stub,
    signingKey: undefined,
    changed: () => undefined,
    later: () => undefined,
    report: (error) => {
      throw error;
    },
  });
  const door = new WatchedDoor();
  const tools = toolSet(
    { readRepoFile, listRepo, writeMemoryEntry, searchDocuments, fetchDocument },
    {
      readRepoFile: readRepo,
      listRepo: listMirrored,
      writeMemoryEntry: writeMemory,
      searchDocuments: searchRepoAndMemory,
      fetchDocument: fetchFound,
    },
    door,
    { memory, mirror, origin: ORIGIN },
    { writeMemoryEntry: previewMemory },
  );
  const call = (name: string, args: object): Promise<Result> => {
    const tool = tools.get(name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool.call(args, everyone);
  };
  return {
    mirror,
    memory,
    read: (path: string, rest: object = {}) => call('read_repo_file', { path, ...rest }),
    list: (args: object = {}) => call('list_repo', args),
    search: (query: string) => call('search', { query }),
    fetch: (id: string) => call('fetch', { id }),
    write: (file: string, entry: unknown) => call('write_memory_entry', { file, entry }),
    mcp: endpoint({ tools, resources: [mirrorResources(resourceTools(door, { memory, mirror }))] }, [
      'read',
      'write',
    ]),
  };
}

/** The output of a call that has to have one. */
export function outputOf<T = Record<string, unknown>>(result: Result): T {
  if (result.kind !== 'ok') throw new Error(`refused: ${JSON.stringify(result)}`);
  return result.output as T;
}

/** The code of a call that has to fail, with its message and suggestion. */
export function refusalOf(result: Result) {
  if (result.kind !== 'failed') throw new Error(`not refused: ${JSON.stringify(result)}`);
  return result.failure;
}
