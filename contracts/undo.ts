import * as z from 'zod';
import { told, tool } from './contract.ts';
import {
  effectEnvelope,
  effectInput,
  firstLine,
  notAFile,
  rootInput,
  writeErrors,
} from './machine-fields.ts';

export const undoOfCall = tool({
  name: 'undo_call',
  title: 'Undo a call',
  description:
    'Puts the files back that an earlier call of yours changed on a machine, a command included. Undo an undo to have the change again.',
  details:
    'Undoes all of it or nothing, and only while the files are as that call left them. Changes are kept for 30 days.',
  runsOn: 'machine',
  group: 'files',
  risk: 'dangerous',
  approval: 'ask',
  hasPreview: true,
  limits: { perMinute: 30, timeoutMs: 60_000 },
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  input: z.strictObject({
    call_id: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .meta(
        told('Which call; default: your last that changed files.', 'Default: your last that changed files.'),
      ),
    ...effectInput,
    ...rootInput,
  }),
  output: effectEnvelope({
    call_id: z.string().describe('The call that was undone.'),
    tool: z.string().describe('Its tool.'),
    changes: z
      .array(
        z.strictObject({
          path: z.string().describe('The file, relative to the open folder.'),
          change: z.enum(['create', 'change', 'delete']).describe('What undoing did with it.'),
        }),
      )
      .describe('Every file that is another one than before; empty if all were back already.'),
    earlier: z
      .array(
        z.strictObject({
          call_id: z.string().describe('What to pass as `call_id`.'),
          tool: z.string().describe('Its tool.'),
          path: z.string().describe('The first file that it changed.'),
        }),
      )
      .describe('Your calls before that one in the same folder, newest first; at most 5.'),
  }),
  errors: {
    ...writeErrors,
    nothing_to_undo: {
      status: 404,
      message: 'No change by such a call of yours is kept in this folder.',
      suggestion: 'Name the `machine` and the `root` of that call. Changes are kept for 30 days.',
    },
    file_changed: {
      status: 409,
      message: 'A file is not as the call left it any more.',
      suggestion: 'Undo the later calls first, or change the file with `edit_files`.',
    },
    not_kept: {
      status: 410,
      message: 'The earlier content is not kept any more.',
      suggestion: 'Look with `git_read` whether git has it.',
    },
    not_a_file: notAFile,
  },
  examples: [
    {
      about: 'takes the last edit back',
      input: {},
      output: {
        success: true,
        output: 'Put back 1 file: hello.py',
        files_affected: ['hello.py'],
        execution_time_ms: 4,
        metadata: {
          call_id: 'call_5b1f6a0e-3f0c-4f55-9d6e-0c7a54a0f9d1',
          tool: 'replace_string_in_file',
          changes: [{ path: 'hello.py', change: 'change' }],
          earlier: [],
        },
      },
      varies: ['execution_time_ms', 'metadata.call_id', 'metadata.earlier'],
    },
  ],
  headline: firstLine,
});
