import * as z from 'zod';
import { told, tool } from './contract.ts';
import { fileTooLarge } from './edits.ts';
import {
  effectEnvelope,
  effectInput,
  fileNotFound,
  firstLine,
  notADirectory,
  notAFile,
  pathField,
  rootInput,
  writeErrors,
} from './machine-fields.ts';

/** The kinds of edit, each with the fields that it needs besides its path. Any other field is refused. */
const EDITS = {
  replace: ['old', 'text'],
  replace_all: ['old', 'text'],
  insert: ['line', 'text'],
  append: ['text'],
  create: ['text'],
  overwrite: ['text'],
  move: ['to'],
  delete: [],
} as const;

const FIELDS = ['old', 'text', 'line', 'to'] as const;

const edit = z
  .strictObject({
    op: z.literal(Object.keys(EDITS) as (keyof typeof EDITS)[]).meta(told('What to do.')),
    path: pathField.meta(told('Relative path of the file.')),
    old: z.string().min(1).optional().describe('The exact string; `replace` wants it there once.'),
    text: z.string().optional().meta(told('What to write, line ends included.')),
    line: z
      .int()
      .min(1)
      .optional()
      .meta(told('The line that `insert` goes before.', 'For `insert` before it.')),
    to: pathField.optional().meta(told('New path of a `move`.', 'For `move`.')),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .meta(told('What the file must be before the call.', 'What the file must be before.')),
  })
  .superRefine((given, context) => {
    const needs: readonly string[] = EDITS[given.op];
    for (const field of FIELDS) {
      const isGiven = given[field] !== undefined;
      if (isGiven === needs.includes(field)) continue;
      const message = isGiven
        ? `\`${given.op}\` takes no \`${field}\``
        : `\`${given.op}\` needs \`${field}\``;
      context.addIssue({ code: 'custom', path: [field], message });
    }
  });

export const editFiles = tool({
  name: 'edit_files',
  title: 'Edit several files',
  description: 'Makes several edits in files on a machine, in their order, all or none.',
  details: 'One approval, one undo. Files are at most 10 MB.',
  runsOn: 'machine',
  group: 'files',
  risk: 'dangerous',
  approval: 'ask',
  hasPreview: true,
  limits: { perMinute: 30, timeoutMs: 60_000 },
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  input: z.strictObject({
    edits: z.array(edit).min(1).max(50).meta(told('The edits.')),
    ...effectInput,
    ...rootInput,
  }),
  output: effectEnvelope({
    changes: z
      .array(
        z.strictObject({
          path: z.string().describe('The file, relative to the open folder.'),
          change: z.enum(['create', 'change', 'delete']).describe('What became of it.'),
          bytes: z.int().min(0).describe('Its size now, in bytes.'),
          sha256: z.string().nullable().describe('The SHA-256 of its content now; null if it is gone.'),
        }),
      )
      .describe('Every file that is another one than before.'),
    created_parents: z.array(z.string()).describe('Folders that had to be created first.'),
  }),
  errors: {
    ...writeErrors,
    file_not_found: fileNotFound,
    not_a_file: notAFile,
    not_a_directory: notADirectory,
    file_exists: {
      status: 409,
      message: 'Something of that name already exists.',
      suggestion: 'Use `overwrite` or `replace`, or choose another name.',
    },
    binary_file: {
      status: 415,
      message: 'The file appears to be binary.',
      suggestion: 'Only `overwrite`, `move` and `delete` take a binary file.',
    },
    string_not_found: {
      status: 404,
      message: 'The string is not in the file.',
      suggestion: 'Read the file with `read_file` and copy the string exactly, spaces included.',
    },
    string_not_unique: {
      status: 409,
      message: 'The string is in the file more than once.',
      suggestion: 'Add lines around it until it is the only one, or use `replace_all`.',
    },
    line_not_found: {
      status: 400,
      message: 'The file has no such line.',
      suggestion: 'Count lines from 1; the line after the last one inserts at the end.',
    },
    file_changed: {
      status: 409,
      message: 'The file is not the one whose SHA-256 was given.',
      suggestion: 'Read it again, then make the edits for what it is now.',
    },
    file_too_large: fileTooLarge,
  },
  examples: [
    {
      about: 'changes a file and creates another',
      input: {
        edits: [
          { op: 'replace', path: 'hello.py', old: 'Hello, World!', text: 'Hello, everyone!' },
          { op: 'create', path: 'notes/today.md', text: '# Today\n' },
        ],
      },
      output: {
        success: true,
        output: 'Changed 2 files: hello.py, notes/today.md',
        files_affected: ['hello.py', 'notes/today.md'],
        execution_time_ms: 6,
        metadata: {
          changes: [
            {
              path: 'hello.py',
              change: 'change',
              bytes: 61,
              sha256: '506fd3a777ef53657130477672e9be7e64e55f3bec5e1acad4fb0f4d2ce56e72',
            },
            {
              path: 'notes/today.md',
              change: 'create',
              bytes: 8,
              sha256: '0438e1f6a52d130aff81d4002078707dc706c86de3753ceb933e2ae59f0d758c',
            },
          ],
          created_parents: ['notes'],
        },
      },
      varies: ['execution_time_ms'],
    },
  ],
  headline: firstLine,
});
