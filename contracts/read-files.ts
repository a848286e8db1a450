import * as z from 'zod';
import { readsOnly, told, tool } from './contract.ts';
import {
  envelope,
  fileNotFound,
  firstLine,
  notADirectory,
  notAFile,
  pathErrors,
  pathField,
  rootInput,
} from './machine-fields.ts';

const wanted = z
  .strictObject({
    path: pathField.meta(told('Relative path.')),
    start_line: z.int().min(1).optional().meta(told('First line.')),
    end_line: z.int().min(1).optional().meta(told('Last line.')),
  })
  .refine(({ start_line = 1, end_line = start_line }) => end_line >= start_line, {
    path: ['end_line'],
    error: '`end_line` is before `start_line`',
  });

const read = z.strictObject({
  path: z.string().describe('The file, relative to the open folder.'),
  kind: z
    .enum(['text', 'notebook', 'pdf', 'zip', 'tar', 'picture', 'binary', 'unread'])
    .describe('What it is: of an archive the files in it are listed, and `unread` could not be read.'),
  encoding: z
    .enum(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'])
    .optional()
    .describe('The encoding of a text.'),
  file_size_bytes: z.int().min(0).optional().describe('Size of the whole file in bytes.'),
  sha256: z.string().optional().describe('The SHA-256 of its content, unless it is too large.'),
  total_lines: z.int().min(0).optional().describe('Lines of text that there are of it.'),
  start_line: z.int().min(1).optional().describe('The line that its part of `output` begins with.'),
  lines_returned: z.int().min(0).optional().describe('How many lines are in `output`.'),
  truncated: z.boolean().describe('Whether there is more of it than was asked for and shown.'),
  width: z.int().min(0).optional().describe('Of a picture, in pixels.'),
  height: z.int().min(0).optional().describe('Of a picture, in pixels.'),
  file_width: z
    .int()
    .min(1)
    .optional()
    .describe('Of a picture that is shown smaller or turned: its width in the file.'),
  file_height: z.int().min(1).optional().describe('The same for its height.'),
  mime_type: z.string().optional().describe('The kind of the picture.'),
  data: z
    .string()
    .optional()
    .describe('The picture as base64, without its metadata. MCP clients get it as a picture instead.'),
  error: z
    .strictObject({
      code: z.string().describe('The stable name of the failure.'),
      message: z.string().describe('The same in words.'),
    })
    .optional()
    .describe('Why it was not read.'),
});

export const readFiles = tool({
  name: 'read_files',
  title: 'Read several files',
  description:
    'Reads several files on a machine: texts, notebooks, PDFs and pictures, and what a zip or tar holds.',
  details:
    'At most 20 files, of any usual encoding of text. PNG and JPEG pictures are shown without metadata, upright and no larger than models look at: 1,568 pixels a side, 1.15 million in all.',
  runsOn: 'machine',
  group: 'files',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 100, timeoutMs: 35_000 },
  hints: readsOnly,
  quotesOthers: true,
  input: z.strictObject({
    files: z.array(wanted).min(1).max(20).meta(told('The files.')),
    max_bytes: z.int().min(1_000).max(400_000).default(100_000).describe('Most text in all.'),
    full_size: z.boolean().default(false).meta(told('Show pictures in full size.')),
    hex: z.boolean().default(false).describe('Show binary files as hex.'),
    ...rootInput,
  }),
  output: envelope({
    files: z.array(read).describe('Each file, in the order in which they were asked for.'),
    mark: z.string().describe('Every line of `output` that begins a file begins with `--- ` and this.'),
  }),
  errors: {
    ...pathErrors,
    file_not_found: fileNotFound,
    not_a_file: notAFile,
    not_a_directory: notADirectory,
  },
  examples: [
    {
      about: 'reads two files, and a range of one',
      input: { files: [{ path: 'hello.py' }, { path: 'hello.py', start_line: 2, end_line: 2 }] },
      output: {
        success: true,
        output:
          "Read 2 files. Each begins at a line with --- f30deb\n--- f30deb hello.py (lines 1-2 of 2)\n# TODO: greet more than one person\nprint('Hello, World!')\n--- f30deb hello.py (lines 2-2 of 2)\nprint('Hello, World!')\n",
        files_affected: [],
        execution_time_ms: 2,
        metadata: {
          files: [
            {
              path: 'hello.py',
              kind: 'text',
              encoding: 'utf-8',
              file_size_bytes: 58,
              sha256: 'bba8e56b40818381746c9717a070a781c0e73d81f9b39adeb3b1a442b39b15fa',
              total_lines: 2,
              start_line: 1,
              lines_returned: 2,
              truncated: false,
            },
            {
              path: 'hello.py',
              kind: 'text',
              encoding: 'utf-8',
              file_size_bytes: 58,
              sha256: 'bba8e56b40818381746c9717a070a781c0e73d81f9b39adeb3b1a442b39b15fa',
              total_lines: 2,
              start_line: 2,
              lines_returned: 1,
              truncated: false,
            },
          ],
          mark: 'f30deb',
        },
      },
      varies: ['execution_time_ms'],
    },
  ],
  cut: { fields: ['output'], rest: 'Ask for fewer files, or for a range of lines.' },
  pictures: (output) => {
    const found = output.metadata.files.flatMap(({ mime_type, data }) =>
      mime_type === undefined || data === undefined ? [] : [{ mimeType: mime_type, data }],
    );
    const files = output.metadata.files.map(({ data: _, ...file }) => file);
    return { output: { ...output, metadata: { ...output.metadata, files } }, found };
  },
  headline: firstLine,
});
