import * as z from 'zod';
import { atMostBytes, utf8Bytes } from './bytes.ts';
import { told, tool } from './contract.ts';
import {
  effectEnvelope,
  effectInput,
  fileNotFound,
  firstLine,
  locationField,
  notADirectory,
  notAFile,
  pathField,
  rootInput,
  writeErrors,
} from './machine-fields.ts';

export const fileTooLarge = {
  status: 413,
  message: 'The file would be, or already is, larger than 10 MB.',
  suggestion: 'Write less, or work on a file of that size with `run_in_terminal`.',
} as const;

/** The limit of one file, in bytes of UTF-8. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/**
 * The limit of the content as JSON text, where line ends, quotes and control characters take more bytes than in the
 * file. A message to a Durable Object may take two bytes for a character, and twice this limit still fits into one.
 */
const MAX_CONTENT_JSON_BYTES = 16_000_000;

/** Counts only if the content is long: JSON makes at most six bytes of one. */
const fitsAsJson = (content: string) =>
  content.length * 6 <= MAX_CONTENT_JSON_BYTES ||
  utf8Bytes(JSON.stringify(content)) <= MAX_CONTENT_JSON_BYTES;

export const createFile = tool({
  name: 'create_file',
  title: 'Create a file',
  description:
    'Creates a file on a machine, with the folders above it. Never overwrites: to change a file, use `replace_string_in_file`.',
  details: 'Content is at most 10 MB of UTF-8. The owner approves each call.',
  runsOn: 'machine',
  group: 'files',
  risk: 'safe_write',
  approval: 'ask',
  hasPreview: true,
  // Python writes `é` as `\\u00e9` in JSON. This is enough for 10 MB written so.
  limits: { perMinute: 30, timeoutMs: 30_000, bodyBytes: 24_000_000 },
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    path: pathField.meta(told('Relative path of the file to create.')),
    content: z
      .string()
      .superRefine(atMostBytes(MAX_FILE_BYTES, 'file_too_large'))
      .superRefine((content, context) => {
        if (fitsAsJson(content)) return;
        const message = 'with its escapes it has more than 16 MB as JSON';
        context.addIssue({ code: 'custom', params: { error: 'file_too_large' }, message });
      })
      .meta(told('What to write to the file; it may be empty.')),
    ...effectInput,
    ...rootInput,
  }),
  output: effectEnvelope({
    bytes_written: z.int().min(0).describe('Size of the new file in bytes.'),
    created_parents: z.array(z.string()).describe('Folders that had to be created first, outermost first.'),
    location: locationField,
  }),
  errors: {
    ...writeErrors,
    file_exists: {
      status: 409,
      message: 'Something of that name already exists.',
      suggestion: 'Use `replace_string_in_file` to modify a file, or choose another name.',
    },
    not_a_directory: {
      ...notADirectory,
      message: 'A part of the path above the file is itself a file.',
    },
    file_too_large: fileTooLarge,
  },
  examples: [
    {
      about: 'creates a file and the folder above it',
      input: { path: 'notes/today.md', content: '# Today\n' },
      output: {
        success: true,
        output: 'Created file: notes/today.md (8 bytes)',
        files_affected: ['notes/today.md'],
        execution_time_ms: 5,
        metadata: {
          bytes_written: 8,
          created_parents: ['notes'],
          location: '/home/user/project/notes/today.md',
        },
      },
      varies: ['execution_time_ms', 'metadata.location'],
    },
  ],
  headline: firstLine,
});

export const replaceStringInFile = tool({
  name: 'replace_string_in_file',
  title: 'Replace a string in a file',
  description:
    'Replaces the first occurrence of an exact string in a text file on a machine. For several edits, use `edit_files`.',
  details:
    'A warning says how many more there are; add lines around the string until it is the only one. Files are at most 10 MB. The owner approves each call.',
  runsOn: 'machine',
  group: 'files',
  risk: 'dangerous',
  approval: 'ask',
  hasPreview: true,
  limits: { perMinute: 30, timeoutMs: 30_000 },
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  input: z.strictObject({
    path: pathField.meta(told('Relative path of the file to modify.')),
    old_string: z.string().min(1).meta(told('The exact string to find, spaces and line ends included.')),
    new_string: z.string().meta(told('What to put in its place; empty removes it.')),
    ...effectInput,
    ...rootInput,
  }),
  output: effectEnvelope({
    occurrences_found: z.int().min(1).describe('How often the string was in the file before.'),
    occurrences_replaced: z.int().min(1).describe('How many of them were replaced.'),
    lines_changed: z
      .array(z.int().min(1))
      .describe('Lines, counted from 1, where the replaced strings began.'),
    location: locationField,
  }),
  errors: {
    ...writeErrors,
    file_not_found: fileNotFound,
    not_a_file: notAFile,
    binary_file: {
      status: 415,
      message: 'The file appears to be binary.',
      suggestion: 'Edit only text with this tool; look at the file with `read_file` first.',
    },
    string_not_found: {
      status: 404,
      message: 'The string is not in the file.',
      suggestion: 'Read the file with `read_file` and copy the string exactly, spaces included.',
    },
    file_too_large: fileTooLarge,
  },
  examples: [
    {
      about: 'replaces the only occurrence',
      input: { path: 'hello.py', old_string: 'Hello, World!', new_string: 'Hello, everyone!' },
      output: {
        success: true,
        output: 'Replaced 1 occurrence in hello.py',
        files_affected: ['hello.py'],
        execution_time_ms: 3,
        metadata: {
          occurrences_found: 1,
          occurrences_replaced: 1,
          lines_changed: [2],
          location: '/home/user/project/hello.py',
        },
      },
      varies: ['execution_time_ms', 'metadata.location'],
    },
  ],
  headline: firstLine,
});

export const createDirectory = tool({
  name: 'create_directory',
  title: 'Create a directory',
  description: 'Creates a directory on a machine, with those above it.',
  details: 'One that exists already is no error, as with `mkdir -p`. The owner approves each call.',
  runsOn: 'machine',
  group: 'files',
  risk: 'safe_write',
  approval: 'ask',
  hasPreview: true,
  limits: { perMinute: 30, timeoutMs: 30_000 },
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    path: pathField.meta(told('Relative path of the directory to create.')),
    ...effectInput,
    ...rootInput,
  }),
  output: effectEnvelope({
    created_parents: z
      .array(z.string())
      .describe('Directories above it that had to be created, outermost first.'),
    already_existed: z.boolean().describe('Whether the directory was there before.'),
    location: locationField,
  }),
  errors: {
    ...writeErrors,
    file_exists: {
      status: 409,
      message: 'The path, or a part of it, exists as a file.',
      suggestion: 'Choose another name, or see with `list_dir` what is there.',
    },
  },
  examples: [
    {
      about: 'creates a directory and the one above it',
      input: { path: 'data/raw' },
      output: {
        success: true,
        output: 'Created directory: data/raw',
        files_affected: ['data/raw'],
        execution_time_ms: 3,
        metadata: {
          created_parents: ['data'],
          already_existed: false,
          location: '/home/user/project/data/raw',
        },
      },
      varies: ['execution_time_ms', 'metadata.location'],
    },
  ],
  headline: firstLine,
});
