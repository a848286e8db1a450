import { MEMORY_FILES } from '../../contracts/memory.ts';
import type { ResourceSource } from '../surfaces/mcp-offers.ts';
import { lockedFailure } from './memory-failures.ts';
import type { Memory } from './memory-port.ts';

/** More than this of a file is read through search, or a line at a time. */
export const MAX_MEMORY_READ_BYTES = 1024 * 1024;

/** The memory's files as MCP resources, read live. */
export function memoryResources(memory: Memory): ResourceSource {
  const prefix = 'memory://';
  const resources = MEMORY_FILES.map((name) => ({
    uri: prefix + name,
    name,
    title: `Memory: ${name}`,
    description: 'A file of the append-only memory, as it is now.',
    mimeType: name.endsWith('.md') ? 'text/markdown' : 'application/jsonl',
  }));
  return {
    prefix,
    list: () => ({ resources }),
    read: async (uri) => {
      const found = resources.find((resource) => resource.uri === uri);
      if (!found) return undefined;
      const read = await memory.stub().read(found.name, MAX_MEMORY_READ_BYTES);
      if (read && 'locked' in read) return { kind: 'failed', failure: lockedFailure(read.locked) };
      if (read && read.content === null) return { kind: 'failed', failure: tooLong(found.name, read.size) };
      return [{ uri, mimeType: found.mimeType, text: read?.content ?? '' }];
    },
  };
}

function tooLong(name: string, size: number) {
  return {
    code: 'file_too_large',
    http_status: 413,
    message: `${name} is ${size} bytes, more than the 1 MB that is read at once.`,
    suggestion: 'Read its end with `bowline memory tail`.',
  };
}
