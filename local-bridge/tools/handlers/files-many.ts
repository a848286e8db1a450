import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Input, Output } from '../../../contracts/contract.ts';
import { MAX_FILE_BYTES } from '../../../contracts/edits.ts';
import type { readFiles } from '../../../contracts/read-files.ts';
import type { Refusal } from '../../../src/core/call.ts';
import type { Call, Handler } from '../../../src/core/handler.ts';
import type { Time } from '../reading/aside.ts';
import { type Content, contentOf } from '../reading/contents.ts';
import { MAX_PICTURE_BYTES } from '../reading/pictures.ts';
import type { Disk } from '../workspace/disk.ts';
import type { Root } from '../workspace/held.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import { shown } from '../workspace/path-rules.ts';
import { isRefusal, type WorkspaceRefusal } from '../workspace/refusal.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { countLines, HEX_BYTES, hexView, lineRange, wholeCharacters } from './files-text.ts';

type ReadFiles = typeof readFiles;
type Wanted = Input<ReadFiles>['files'][number];
type Read = Output<ReadFiles>['metadata']['files'][number];

interface ReadPorts {
  readonly workspace: Workspace;
  readonly disk: Disk;
}

/** The time for all files of a call. A few that take long must not withhold the others. */
const READ_MS = 25_000;

const LARGE_BYTES = 1024 * 1024;

/** What is left of the answer's room. */
interface Room {
  text: number;
  pictures: number;
}

/** One file of the answer: what is said of it, and its text. */
interface Part {
  readonly read: Read;
  readonly about: string;
  readonly body: string;
  readonly refusal?: WorkspaceRefusal;
}

/** Reads several files. One that cannot be read does not withhold the others. */
export const readMany: Handler<ReadFiles, ReadPorts> = async (input, call, ports) => {
  const started = performance.now();
  const root = ports.workspace.root(input.root);
  if (isRefusal(root)) return refused(root, call);
  const room: Room = { text: input.max_bytes, pictures: MAX_PICTURE_BYTES };
  const time: Time = { until: Date.now() + READ_MS, signal: call.signal };
  const parts: Part[] = [];
  for (const wanted of input.files) {
    call.signal.throwIfAborted();
    parts.push(await partOf(root, wanted, input, room, time, ports));
  }
  const unread = parts.flatMap(({ refusal }) => (refusal ? [refusal] : []));
  const [first] = unread;
  if (first && unread.length === parts.length) return refused(first, call);
  const mark = markFor(parts.map(({ body }) => body));
  const count = parts.length - unread.length;
  const head = `Read ${count === 1 ? '1 file' : `${count} files`}${unread.length > 0 ? `, ${unread.length} not` : ''}. Each begins at a line with --- ${mark}`;
  const texts = parts.map(
    ({ read, about, body }) => `--- ${mark} ${shown(read.path)} (${about})\n${ended(body)}`,
  );
  return call.ok({
    success: true,
    output: `${head}\n${texts.join('')}`,
    files_affected: [],
    execution_time_ms: Math.round(performance.now() - started),
    metadata: { files: parts.map(({ read }) => read), mark },
  });
};

async function partOf(
  root: Root,
  wanted: Wanted,
  { hex, full_size }: Pick<Input<ReadFiles>, 'hex' | 'full_size'>,
  room: Room,
  time: Time,
  ports: ReadPorts,
): Promise<Part> {
  const { path } = wanted;
  const file = ports.workspace.file(root, path, 'read');
  if (isRefusal(file)) {
    const { code, suggestion } = file;
    // Such as the nearest name there is.
    const message = suggestion === undefined ? file.message : `${file.message}. ${suggestion}`;
    const error = { code: CODES[code] ?? code, message };
    return {
      read: { path, kind: 'unread', truncated: false, error },
      about: message,
      body: '',
      refusal: file,
    };
  }
  try {
    const content = await contentOf(file, ports.disk, time, full_size);
    // To decode a large text and to find its lines take some time each, so let others run in between.
    if (content.bytes.length > LARGE_BYTES) await setImmediate();
    return partIn(file, content, wanted, hex, room);
  } finally {
    file.close();
  }
}

function partIn(file: OpenFile, content: Content, wanted: Wanted, hex: boolean, room: Room): Part {
  const { path } = wanted;
  const size = Number(file.stats.size);
  const sha256 =
    size > MAX_FILE_BYTES ? {} : { sha256: createHash('sha256').update(content.bytes).digest('hex') };
  const base = { path, kind: content.kind, file_size_bytes: size, ...sha256 };
  if (content.kind === 'picture') {
    const { width, height, mime, bytes, turn } = content.picture;
    const { inFile } = content;
    const about = `picture, ${width} × ${height} pixels${inFile ? `, ${inFile.width} × ${inFile.height} in the file` : ''}${turn === undefined ? '' : ', not upright'}`;
    const other = inFile ? { file_width: inFile.width, file_height: inFile.height } : {};
    const sides = { width, height, ...other, mime_type: mime };
    if (bytes.length > room.pictures) {
      const read = { ...base, ...sides, truncated: true };
      return { read, about: `${about}; no room for it in this answer, ask for it alone`, body: '' };
    }
    room.pictures -= bytes.length;
    return { read: { ...base, ...sides, truncated: false, data: bytes.toString('base64') }, about, body: '' };
  }
  if (content.kind === 'binary') {
    const whole = hex ? Buffer.from(hexView(content.bytes.subarray(0, HEX_BYTES))) : Buffer.alloc(0);
    const body = withinRoom(whole, room.text);
    room.text -= body.length;
    const isCut = body.length < whole.length;
    return {
      read: { ...base, truncated: isCut || size > (hex ? HEX_BYTES : 0) },
      about: `${content.why}, ${size} bytes${isCut ? ', no room for the rest' : ''}`,
      body: body.toString(),
    };
  }
  return textPart(base, content, wanted, room);
}

function textPart(
  base: Pick<Read, 'path' | 'kind' | 'file_size_bytes' | 'sha256'>,
  { kind, text, encoding, isCut }: Extract<Content, { text: string }>,
  { start_line: first = 1, end_line }: Wanted,
  room: Room,
): Part {
  const bytes = Buffer.from(text);
  const total = countLines(bytes);
  const last = Math.min(end_line ?? total, total);
  const asked = first > last ? Buffer.alloc(0) : lineRange(bytes, first, last);
  const body = withinRoom(asked, room.text);
  room.text -= body.length;
  const lines = countLines(body);
  const isWhole = body.length === asked.length;
  const named = encoding === undefined ? {} : { encoding };
  const read = {
    ...{ ...base, ...named, total_lines: total, start_line: first, lines_returned: lines },
    truncated: isCut || !isWhole,
  };
  const range =
    total === 0
      ? 'empty'
      : lines === 0
        ? `none of its ${total} lines`
        : `lines ${first}-${first + lines - 1} of ${total}`;
  const what = [
    ...(kind === 'text' ? [] : [kind]),
    ...(encoding === undefined || encoding === 'utf-8' ? [] : [encoding]),
    range,
    ...(isWhole ? [] : ['no room for the rest']),
    ...(isCut ? ['only the beginning was read'] : []),
  ];
  return { read, about: what.join(', '), body: body.toString() };
}

/** Gives the lines that fit, or the beginning of the first one if none does. */
function withinRoom(bytes: Buffer, room: number): Buffer {
  if (bytes.length <= room) return bytes;
  const end = room <= 0 ? 0 : bytes.lastIndexOf(10, room - 1) + 1;
  return end > 0 ? bytes.subarray(0, end) : wholeCharacters(bytes.subarray(0, Math.max(0, room)));
}

function ended(body: string): string {
  return body === '' || body.endsWith('\n') ? body : `${body}\n`;
}

/** Makes a mark that no file of the answer holds, so that none can look as if another began in it. */
function markFor(bodies: readonly string[]): string {
  let hash = createHash('sha256').update(JSON.stringify(bodies)).digest('hex');
  while (bodies.some((body) => body.includes(hash.slice(0, 6))))
    hash = createHash('sha256').update(hash).digest('hex');
  return hash.slice(0, 6);
}

/** The codes of this tool for what a path can be. If a folder above is really a file, the named file does not exist. */
const CODES: Readonly<Record<string, 'file_not_found'>> = {
  not_found: 'file_not_found',
  not_a_directory: 'file_not_found',
};

function refused({ code, message, suggestion }: WorkspaceRefusal, call: Call<ReadFiles>): Refusal {
  const detail = { message, ...(suggestion === undefined ? {} : { suggestion }) };
  return call.fail(code === 'not_found' || code === 'not_a_directory' ? 'file_not_found' : code, detail);
}
