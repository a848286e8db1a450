import { MEMORY_FILES } from '../../contracts/memory.ts';
import { MEMORY_FOLDER } from '../core/path-policy.ts';
import type { ResourceSource } from './mcp-offers.ts';
import { type ResourceTools, readBytes } from './mirror-resources.ts';

/** Offers the memory's files as MCP resources. `read_repo_file` reads them live, under its own paths. */
export function memoryResources({ read }: Pick<ResourceTools, 'read'>): ResourceSource {
  const prefix = 'memory://';
  // Only names: they are the same for everybody, and say nothing about the contents.
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
    read: async (uri, caller) => {
      const found = resources.find((resource) => resource.uri === uri);
      if (!found) return undefined;
      const answer = await readBytes(read, MEMORY_FOLDER + found.name, caller);
      const { mimeType } = found;
      if (!('kind' in answer)) return [{ uri, mimeType, text: Buffer.from(answer.bytes).toString() }];
      // A listed file must be readable, so a file without a line reads as empty.
      const isEmpty = answer.kind === 'failed' && answer.failure.code === 'file_not_found';
      return isEmpty ? [{ uri, mimeType, text: '' }] : answer;
    },
  };
}
