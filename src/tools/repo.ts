import { MEMORY_FILES } from '../../contracts/memory.ts';
import type { readRepoFile } from '../../contracts/repo.ts';
import type { Handler } from '../core/call.ts';
import { isReadable, OPEN_BY_DEFAULT } from '../core/path-policy.ts';
import type { Memory } from '../memory/memory-port.ts';
import { MAX_MEMORY_READ_BYTES } from '../memory/memory-resources.ts';

const MEMORY_FOLDER = '.claude/memory/';

/** Reads a file of the repo. The memory's files are read as they are at this moment, whatever was mirrored. */
export const readRepo: Handler<typeof readRepoFile, { memory: Memory }> = async (
  { path, encoding },
  call,
  { memory },
) => {
  if (!isReadable(path, { open: OPEN_BY_DEFAULT }))
    return call.fail('path_denied', `${path} is not open for reading.`);
  const name = path.startsWith(MEMORY_FOLDER) ? path.slice(MEMORY_FOLDER.length) : undefined;
  if (name === undefined) return call.fail('nothing_mirrored');
  if (!MEMORY_FILES.some((known) => known === name)) {
    return call.fail('file_not_found', `The memory has no file ${name}; it has ${MEMORY_FILES.join(', ')}.`);
  }
  const read = await memory.stub().read(name, MAX_MEMORY_READ_BYTES);
  if (read && 'locked' in read)
    return call.fail('memory_locked', `The memory refuses to serve, because ${read.locked}.`);
  if (!read) return call.fail('file_not_found', `Nothing was written to ${name} yet.`);
  if (read.content === null) {
    const suggestion = 'Look at its end with `bowline memory tail`.';
    return call.fail('file_too_large', {
      message: `${name} is ${read.size} bytes, more than 1 MB.`,
      suggestion,
    });
  }
  return call.ok({
    content: encoding === 'base64' ? Buffer.from(read.content).toString('base64') : read.content,
    size: read.size,
    modified: new Date(read.modified).toISOString(),
    commit: null,
  });
};
