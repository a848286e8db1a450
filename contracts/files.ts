import * as z from 'zod';
import { readsOnly, told, tool } from './contract.ts';
import {
  directoryNotFound,
  envelope,
  fileNotFound,
  firstLine,
  notADirectory,
  notAFile,
  pathErrors,
  pathField,
  rootInput,
} from './machine-fields.ts';

export const readFile = tool({
  name: 'read_file',
  title: 'Read a file',
  description:
    'Reads a file on a machine, whole or a range of lines. For the mirrored repo or the memory, use `read_repo_file`.',
  details: 'Over 10 MB only the first 10 MB are read; of a binary file the first 1 KB is shown as hex.',
  runsOn: 'machine',
  group: 'files',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 100, timeoutMs: 30_000 },
  hints: readsOnly,
  quotesOthers: true,
  saidTwice: ['lines_returned', 'start_line'],
  input: z
    .strictObject({
      path: pathField.meta(told('Relative path of the file to read.')),
      start_line: z
        .int()
        .min(-9_999_999)
        .optional()
        .meta(told('First line; -50 reads the last 50 lines.', '-50 reads the last 50 lines.')),
      end_line: z.int().min(1).optional().meta(told('Last line, included.')),
      ...rootInput,
    })
    .refine(({ start_line = 1, end_line = start_line }) => start_line < 0 || end_line >= start_line, {
      path: ['end_line'],
      error: '`end_line` is before `start_line`',
    })
    .refine(({ start_line }) => start_line !== 0, { path: ['start_line'], error: 'lines are counted from 1' })
    .refine(({ start_line = 1, end_line }) => start_line > 0 || end_line === undefined, {
      path: ['end_line'],
      error: 'lines from the end are read to the end',
    }),
  output: envelope({
    total_lines: z.int().min(0).describe('Lines in the file, as far as it was read; 0 if it is binary.'),
    lines_returned: z.int().min(0).describe('How many of them are in `output`.'),
    file_size_bytes: z.int().min(0).describe('Size of the whole file in bytes.'),
    start_line: z.int().min(1).describe('The line that `output` begins with.'),
    encoding: z.enum(['utf-8', 'hex']).describe('How `output` shows the content; `hex` for a binary file.'),
    truncated: z.boolean().describe('Whether the file is longer than what was read of it.'),
  }),
  errors: {
    ...pathErrors,
    file_not_found: fileNotFound,
    not_a_file: notAFile,
    invalid_line_range: {
      status: 400,
      message: 'The line range does not fit the file.',
      suggestion:
        'Count lines from 1, begin within the file, and end where you begin or later; or give a negative `start_line` alone.',
    },
  },
  inputErrors: { start_line: 'invalid_line_range', end_line: 'invalid_line_range' },
  examples: [
    {
      about: 'reads a whole file',
      input: { path: 'hello.py' },
      output: {
        success: true,
        output:
          "Contents of hello.py (lines 1-2):\n# TODO: greet more than one person\nprint('Hello, World!')\n",
        files_affected: [],
        execution_time_ms: 2,
        metadata: {
          total_lines: 2,
          lines_returned: 2,
          file_size_bytes: 58,
          start_line: 1,
          encoding: 'utf-8',
          truncated: false,
        },
      },
      varies: ['execution_time_ms'],
    },
    {
      about: 'reads a range of lines',
      input: { path: 'hello.py', start_line: 2, end_line: 2 },
      output: {
        success: true,
        output: "Contents of hello.py (lines 2-2):\nprint('Hello, World!')\n",
        files_affected: [],
        execution_time_ms: 2,
        metadata: {
          total_lines: 2,
          lines_returned: 1,
          file_size_bytes: 58,
          start_line: 2,
          encoding: 'utf-8',
          truncated: false,
        },
      },
      varies: ['execution_time_ms'],
    },
  ],
  cut: { fields: ['output'], rest: 'Read the rest with `start_line`.' },
  headline: firstLine,
});

export const listDir = tool({
  name: 'list_dir',
  title: 'List a directory',
  description: 'Lists a directory on a machine. For the mirrored repo, use `list_repo`.',
  details: 'At most 1,000 entries an answer: files, then directories, which end in `/`.',
  runsOn: 'machine',
  group: 'files',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 100, timeoutMs: 30_000 },
  hints: readsOnly,
  quotesOthers: true,
  input: z.strictObject({
    path: pathField.default('.').describe('Relative path of the directory; `.` is the open folder itself.'),
    cursor: z
      .string()
      .min(1)
      .max(512)
      .optional()
      .meta(told('The `next_cursor` of the answer before.', 'The last `next_cursor`.')),
    depth: z.int().min(1).max(8).optional().describe('Levels to show as a tree, with sizes.'),
    ...rootInput,
  }),
  output: envelope({
    total_entries: z
      .int()
      .min(0)
      .describe('Entries in the whole directory, links and special files included.'),
    files: z.int().min(0).describe('How many of all of them are files.'),
    directories: z.int().min(0).describe('How many of all of them are directories.'),
    entries_returned: z.int().min(0).max(1_000).describe('How many are in `output`.'),
    next_cursor: z.string().nullable().describe('What to pass as `cursor` for the rest; null at the end.'),
    bytes: z.int().min(0).optional().describe('For a tree: the size of all its files.'),
  }),
  errors: {
    ...pathErrors,
    directory_not_found: directoryNotFound,
    not_a_directory: notADirectory,
    invalid_cursor: {
      status: 400,
      message: 'The cursor does not belong to this listing.',
      suggestion: 'List again without a cursor; a tree has none.',
    },
  },
  examples: [
    {
      about: 'lists a folder',
      input: { path: 'src' },
      output: {
        success: true,
        output: 'Contents of ./src:\n  app.py\n  utils.py\n  models/\n',
        files_affected: [],
        execution_time_ms: 2,
        metadata: { total_entries: 3, files: 2, directories: 1, entries_returned: 3, next_cursor: null },
      },
      varies: ['execution_time_ms'],
    },
  ],
  cut: { fields: ['output'], rest: 'Use `file_search` with a narrower pattern to see the rest.' },
  headline: firstLine,
});
