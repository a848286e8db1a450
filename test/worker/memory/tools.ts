import { writeMemoryEntry } from '../../../contracts/memory.ts';
import { readRepoFile } from '../../../contracts/repo.ts';
import type { Result } from '../../../src/core/call.ts';
import { type ToolSet, toolSet } from '../../../src/core/tools.ts';
import { type Memory, makeMemory } from '../../../src/memory/memory-port.ts';
import { memoryResources } from '../../../src/surfaces/memory-resources.ts';
import { resourceTools } from '../../../src/surfaces/resource-tools.ts';
import { previewMemory, writeMemory } from '../../../src/tools/memory.ts';
import { readRepo } from '../../../src/tools/repo.ts';
import { endpoint } from '../../support/mcp-endpoint.ts';
import { prepared } from '../../support/prepared.ts';
import { everyone, WatchedDoor } from '../../support/tools.ts';
import { newMirror } from '../mirror/support.ts';
import { newMemory } from './support.ts';

/** The memory's tools over a memory of their own, through a door that lets everything in. */
export function memoryTools(memory: Memory = unsignedMemory()) {
  const door = new WatchedDoor();
  const mirror = newMirror();
  const tools: ToolSet = toolSet(
    { readRepoFile, writeMemoryEntry },
    { readRepoFile: readRepo, writeMemoryEntry: writeMemory },
    door,
    { memory, mirror },
    { writeMemoryEntry: previewMemory },
  );
  const call = (name: string, args: unknown): Promise<Result> => {
    const tool = tools.get(name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool.call(args, everyone);
  };
  return {
    memory,
    look: (file: string, entry: unknown, rest: object = {}) =>
      tools.get('write_memory_entry')?.look(prepared(writeMemoryEntry, { file, entry, ...rest })),
    write: (file: string, entry: unknown, rest: object = {}) =>
      call('write_memory_entry', { file, entry, ...rest }),
    read: (path: string, rest: object = {}) => call('read_repo_file', { path, ...rest }),
    mcp: endpoint({ tools, resources: [memoryResources(resourceTools(door, { memory, mirror }))] }, [
      'read',
      'write',
    ]),
  };
}

function unsignedMemory(): Memory {
  const stub = newMemory();
  return makeMemory({
    stub: () => stub,
    signingKey: undefined,
    changed: () => undefined,
    later: () => undefined,
    report: (error) => {
      throw error;
    },
  });
}

/** The output of a call that has to have one. */
export function outputOf<T = Record<string, unknown>>(result: Result): T {
  if (result.kind !== 'ok') throw new Error(`refused: ${JSON.stringify(result)}`);
  return result.output as T;
}
