import { MEMORY_FILES } from '../../contracts/memory.ts';
import { MEMORY_FOLDER } from '../core/path-policy.ts';
import type { ResourceSource } from './mcp-offers.ts';
import { type ResourceTools, readBytes } from './mirror-resources.ts';

/** The memory's files as MCP resources, read live by `read_repo_file`, under the paths that it knows them by. */
export function memoryResources({ read }: Pick<ResourceTools, 'read'>): ResourceSource {
  const prefix = 'memory://';
  // Names alone: they are the same for everybody, and say nothing of what is in the files.
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
      // What is listed can be read: a file without a line is empty.
      const isEmpty = answer.kind === 'failed' && answer.failure.code === 'file_not_found';
      return isEmpty ? [{ uri, mimeType, text: '' }] : answer;
    },
  };
}
