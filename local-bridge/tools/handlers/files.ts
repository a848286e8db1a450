import type { Input, Output } from '../../../contracts/contract.ts';
import { MAX_FILE_BYTES } from '../../../contracts/edits.ts';
import type { listDir, readFile } from '../../../contracts/files.ts';
import type { Refusal, Result } from '../../../src/core/call.ts';
import type { Call, Handler } from '../../../src/core/handler.ts';
import type { MachineHandlers } from '../machine-handlers.ts';
import type { Disk } from '../workspace/disk.ts';
import type { Root } from '../workspace/held.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import { shown } from '../workspace/path-rules.ts';
import { readUpTo } from '../workspace/read-content.ts';
import { isRefusal, type WorkspaceRefusal } from '../workspace/refusal.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { cursorFor, type Entries, entriesIn, entryLine, pageFrom } from './files-list.ts';
import { readMany } from './files-many.ts';
import {
  countLines,
  decodedText,
  HEX_BYTES,
  hexView,
  isBinary,
  lineRange,
  wholeCharacters,
} from './files-text.ts';
import { treeHead, treeOf } from './files-tree.ts';

/** The means for reading. */
interface ReadPorts {
  readonly workspace: Workspace;
  readonly disk: Disk;
}

const MAX_ENTRIES = 1_000;

type ReadFile = typeof readFile;
type ListDir = typeof listDir;

const readOne: Handler<ReadFile, ReadPorts> = async (input, call, { workspace, disk }) => {
  const started = performance.now();
  const root = workspace.root(input.root);
  if (isRefusal(root)) return notRead(root, input.path, call);
  const file = workspace.file(root, input.path, 'read');
  if (isRefusal(file)) return notRead(file, input.path, call);
  try {
    const shownBytes = await readUpTo(file, MAX_FILE_BYTES, disk);
    const done = isBinary(shownBytes) ? asHex(shownBytes, file) : asText(shownBytes, file, input);
    if ('wrong' in done) return call.fail('invalid_line_range', done.wrong);
    const { head, body, metadata } = done;
    return call.ok({
      success: true,
      output: withWarning(head, metadata.warning) + body,
      files_affected: [],
      execution_time_ms: Math.round(performance.now() - started),
      metadata,
    });
  } finally {
    file.close();
  }
};

interface Shown {
  readonly head: string;
  readonly body: string;
  readonly metadata: Output<ReadFile>['metadata'];
}

function asHex(bytes: Buffer, { relative, stats }: OpenFile): Shown {
  return {
    head: `Contents of ${relative} (as hex):`,
    body: `${hexView(bytes.subarray(0, HEX_BYTES))}\n`,
    metadata: {
      total_lines: 0,
      lines_returned: 0,
      file_size_bytes: Number(stats.size),
      start_line: 1,
      encoding: 'hex',
      truncated: stats.size > HEX_BYTES,
      warning: 'File appears to be binary, displaying first 1KB as hex',
    },
  };
}

function asText(
  read: Buffer,
  { relative, stats }: OpenFile,
  input: Input<ReadFile>,
): Shown | { wrong: string } {
  const truncated = stats.size > MAX_FILE_BYTES;
  const bytes = truncated ? wholeCharacters(read) : read;
  const total = countLines(bytes);
  const asked = input.start_line ?? 1;
  const first = asked < 0 ? Math.max(1, total + 1 + asked) : asked;
  const last = Math.min(input.end_line ?? total, total);
  // An empty file has no lines, but a caller may ask for its first.
  if (first > Math.max(total, 1)) {
    const range = input.end_line === undefined ? `${first}` : `${first}-${input.end_line}`;
    const has = `file has ${total} ${total === 1 ? 'line' : 'lines'}${truncated ? ' in its first 10 MB' : ''}`;
    return { wrong: `Line range invalid - ${has}, requested ${range}` };
  }
  const { text, valid } = decodedText(lineRange(bytes, first, last));
  const warning = [
    ...(truncated ? ['File is larger than 10 MB, reading only the first 10 MB'] : []),
    ...(valid ? [] : ['File is not valid UTF-8, showing what is not as \ufffd']),
  ].join('. ');
  return {
    head: `Contents of ${relative} (${total === 0 ? 'empty' : `lines ${first}-${last}`}):`,
    body: text,
    metadata: {
      total_lines: total,
      lines_returned: Math.max(0, last - first + 1),
      file_size_bytes: Number(stats.size),
      start_line: first,
      encoding: 'utf-8',
      truncated,
      ...(warning === '' ? {} : { warning }),
    },
  };
}

function notRead(refusal: WorkspaceRefusal, path: string, call: Call<ReadFile>): Refusal {
  const { code, message, suggestion } = refusal;
  const hint = suggestion === undefined ? {} : { suggestion };
  // If a folder above is really a file, then the named file does not exist either.
  if (code === 'not_found' || code === 'not_a_directory') {
    return call.fail('file_not_found', { message: `File '${shown(path)}' not found`, ...hint });
  }
  return call.fail(code, { message, ...hint });
}

const listOne: Handler<ListDir, ReadPorts> = (input, call, { workspace, disk }) => {
  const started = performance.now();
  const root = workspace.root(input.root);
  if (isRefusal(root)) return notListed(root, input.path, call);
  if (input.depth !== undefined) return listTree(input, input.depth, root, call, { workspace, disk });
  const folder = workspace.folder(root, input.path);
  if (isRefusal(folder)) return notListed(folder, input.path, call);
  let entries: Entries;
  try {
    entries = folder.use((here) => entriesIn(here, disk));
  } finally {
    folder.close();
  }
  const place = `${root.path}/${input.path}`;
  const page = pageFrom(entries.sorted, input.cursor, place, MAX_ENTRIES);
  if (!page) return call.fail('invalid_cursor');
  const { shown: listed, before, last } = page;
  const total = entries.sorted.length;
  const from = before + 1;
  const warning =
    listed.length < total
      ? `Showing entries ${from}-${before + listed.length} of ${total}${last ? '; pass `next_cursor` as `cursor` for the rest' : ''}`
      : undefined;
  const head = `Contents of ${input.path === '.' ? '.' : `./${input.path}`}:`;
  return call.ok({
    success: true,
    output: withWarning(head, warning) + listed.map(entryLine).join(''),
    files_affected: [],
    execution_time_ms: Math.round(performance.now() - started),
    metadata: {
      total_entries: total,
      files: entries.files,
      directories: entries.directories,
      entries_returned: listed.length,
      next_cursor: last ? cursorFor(last, place) : null,
      ...(warning === undefined ? {} : { warning }),
    },
  });
};

/** Lists a directory with those below it. */
async function listTree(
  { path, cursor }: Input<ListDir>,
  levels: number,
  root: Root,
  call: Call<ListDir>,
  ports: ReadPorts,
): Promise<Result<Output<ListDir>>> {
  const started = performance.now();
  if (cursor !== undefined) return call.fail('invalid_cursor');
  const tree = await treeOf(root, path, { levels, limit: MAX_ENTRIES }, ports);
  if (isRefusal(tree)) return notListed(tree, path, call);
  const { lines, files, directories, bytes, isCut } = tree;
  const warning = isCut ? 'There is more. Name a folder in `path`, or fewer levels' : undefined;
  return call.ok({
    success: true,
    output: withWarning(treeHead(path, levels, tree), warning) + lines.join(''),
    files_affected: [],
    execution_time_ms: Math.round(performance.now() - started),
    metadata: {
      ...{ total_entries: lines.length, files, directories, entries_returned: lines.length },
      ...{ next_cursor: null, bytes },
      ...(warning === undefined ? {} : { warning }),
    },
  });
}

function notListed(
  { code, message, suggestion }: WorkspaceRefusal,
  path: string,
  call: Call<ListDir>,
): Result<Output<ListDir>> {
  const hint = suggestion === undefined ? {} : { suggestion };
  if (code === 'not_found') {
    return call.fail('directory_not_found', { message: `Directory '${shown(path)}' not found`, ...hint });
  }
  if (code === 'not_a_file') return call.fail('not_a_directory', message);
  if (code === 'permission_denied') return call.fail(code, 'Cannot list directory - permission denied');
  return call.fail(code, { message, ...hint });
}

/** Puts the warning between the first line and the content, each on a line of its own. */
function withWarning(head: string, warning: string | undefined): string {
  return warning === undefined ? `${head}\n` : `${head}\nWarning: ${warning}\n`;
}

/** Handlers of the tools that read files, by the names of their contracts. */
export const readHandlers = {
  read_file: readOne,
  read_files: readMany,
  list_dir: listOne,
} satisfies MachineHandlers;
