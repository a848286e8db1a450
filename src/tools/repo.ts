import { MEMORY_FILES } from '../../contracts/memory.ts';
import { type listRepo, readRepoFile } from '../../contracts/repo.ts';
import type { FailureDetail } from '../core/failure.ts';
import { utf8Text } from '../core/git-blob.ts';
import type { Call, Handler } from '../core/handler.ts';
import { isMemoryFile, isNeverReadable, MEMORY_FOLDER } from '../core/path-policy.ts';
import { lockedBecause } from '../memory/memory-failures.ts';
import { MAX_MEMORY_READ_BYTES, type Memory } from '../memory/memory-port.ts';
import { type LineRange, linesIn } from '../mirror/line-range.ts';
import type { Mirror } from '../mirror/mirror-port.ts';
import { type MirroredRead, noteOn, readMirrored } from '../mirror/read-file.ts';

/** Reads a file of the repo. Reads the memory's three files as they are now, whatever the repo has in their place. */
export const readRepo: Handler<typeof readRepoFile, { memory: Memory; mirror: Mirror }> = async (
  { path, encoding, start_line, end_line },
  call,
  { memory, mirror },
) => {
  const range =
    start_line === undefined && end_line === undefined
      ? undefined
      : { from: start_line ?? 1, to: end_line ?? Number.MAX_SAFE_INTEGER };
  const name = MEMORY_FILES.find((file) => path === MEMORY_FOLDER + file);
  if (name && range) return readMemoryLines(name, range, call, memory);
  if (name) return readMemory(name, encoding, call, memory);
  const read = await readMirrored(mirror, path);
  if (read.kind === 'refused') return call.fail(read.code, refusal(read, path));
  const content = encoding === 'base64' ? base64(read.bytes) : utf8Text(read.bytes);
  if (content === undefined) return call.fail('not_text', `${path} is not UTF-8 text.`);
  const taken = range && linesIn(content, range);
  if (range && !taken) return call.fail('invalid_line_range');
  return call.ok({
    ...(taken ?? { content }),
    size: read.bytes.byteLength,
    modified: new Date(read.modified).toISOString(),
    commit: read.commit,
  });
};

/** Names the memory's files to a model that asked for another one in their folder. */
function refusal({ code, detail }: Extract<MirroredRead, { kind: 'refused' }>, path: string): FailureDetail {
  const isMissing = code === 'file_not_found' || code === 'nothing_mirrored';
  if (!isMissing || !(path.startsWith(MEMORY_FOLDER) || isMemoryFile(path))) return detail;
  const said = detail.message ?? readRepoFile.errors[code].message;
  return { ...detail, message: `${said} The memory itself has ${MEMORY_FILES.join(', ')} there.` };
}

async function readMemory(
  name: (typeof MEMORY_FILES)[number],
  encoding: 'utf-8' | 'base64',
  call: Call<typeof readRepoFile>,
  memory: Memory,
) {
  const read = await memory.stub().read(name, MAX_MEMORY_READ_BYTES);
  if (read && 'locked' in read) return call.fail('memory_locked', lockedBecause(read.locked));
  if (!read) return call.fail('file_not_found', `Nothing was written to ${name} yet.`);
  if (read.content === null) {
    const suggestion =
      'Read its end with `start_line` set to -200, or any range with `start_line` and `end_line`.';
    return call.fail('file_too_large', {
      message: `${name} is ${read.size} bytes, more than 1 MB.`,
      suggestion,
    });
  }
  return call.ok({
    content: encoding === 'base64' ? base64(Buffer.from(read.content)) : read.content,
    size: read.size,
    modified: new Date(read.modified).toISOString(),
    commit: null,
  });
}

async function readMemoryLines(
  name: (typeof MEMORY_FILES)[number],
  range: LineRange,
  call: Call<typeof readRepoFile>,
  memory: Memory,
) {
  const read = await memory.stub().lines(name, range, MAX_MEMORY_READ_BYTES);
  if (read && 'locked' in read) return call.fail('memory_locked', lockedBecause(read.locked));
  if (!read) return call.fail('file_not_found', `Nothing was written to ${name} yet.`);
  const { content, size, modified, first, last, total } = read;
  if (last < first) return call.fail('invalid_line_range', `${name} has ${total} lines.`);
  const lines = { first, last, total };
  return call.ok({ content, size, modified: new Date(modified).toISOString(), commit: null, lines });
}

const FILES_AN_ANSWER = 1_000;

/** Lists the mirrored files below a folder in pages. All pages come from the same commit. */
export const listMirrored: Handler<typeof listRepo, { mirror: Mirror }> = async (
  { path, cursor },
  call,
  { mirror },
) => {
  const folder = path === '.' ? '' : path.replace(/^\.\//, '').replace(/\/$/, '');
  if (path !== '.' && isNeverReadable(folder))
    return call.fail('path_denied', `${path} is not open for reading.`);
  const place = cursor === undefined ? undefined : placeIn(cursor);
  if (cursor !== undefined && place?.folder !== folder) return call.fail('invalid_cursor');
  const listing = await mirror.stub().list(folder, place?.after ?? '', FILES_AN_ANSWER);
  if (!listing) return call.fail('nothing_mirrored');
  const { commit, files, total, more } = listing;
  if (place && place.commit !== commit) return call.fail('invalid_cursor');
  if (total === 0 && folder !== '')
    return call.fail('directory_not_found', `There is no folder ${path} among the files mirrored.`);
  const last = files.at(-1)?.path;
  return call.ok({
    commit,
    files: files.map((file) => {
      const note = noteOn(file);
      return { path: file.path, size: file.size, ...(note === undefined ? {} : { note }) };
    }),
    total,
    next_cursor: more && last !== undefined ? cursorAt({ commit, folder, after: last }) : null,
  });
};

interface Place {
  readonly commit: string;
  readonly folder: string;
  readonly after: string;
}

function cursorAt({ commit, folder, after }: Place): string {
  return Buffer.from(JSON.stringify([commit, folder, after])).toString('base64url');
}

/** Reads the place in a cursor; `undefined` for a cursor that this gateway did not make. */
function placeIn(cursor: string): Place | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(parts) || parts.length !== 3) return undefined;
    const [commit, folder, after] = parts.map(String);
    return commit === undefined || folder === undefined || after === undefined
      ? undefined
      : { commit, folder, after };
  } catch {
    return undefined;
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
