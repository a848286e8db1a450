import * as z from 'zod';
import { readsOnly, told, tool } from './contract.ts';
import { envelope, firstLine, notAFile, pathErrors, pathField, rootInput } from './machine-fields.ts';

export const watch = tool({
  name: 'watch',
  group: 'terminal',
  title: 'Wait for a file or a port',
  description:
    'Waits until a file, a folder or a port of a machine appears, goes or changes. The last `state` as `since` misses nothing between calls.',
  details: 'Says whether that happened in time.',
  runsOn: 'machine',
  risk: 'read_only',
  approval: 'never',
  // A little longer than the longest `timeout_seconds`.
  limits: { perMinute: 30, timeoutMs: 38_000 },
  hints: readsOnly,
  input: z
    .strictObject({
      path: pathField.optional().meta(told('The file or folder.')),
      port: z
        .int()
        .min(1)
        .max(65_535)
        .optional()
        .meta(told('Or a port, on the machine itself.', 'Or a port.')),
      until: z.enum(['exists', 'gone', 'changes']).default('changes').meta(told('What to wait for.')),
      since: z.string().max(64).optional().meta(told('The `state` from which on a change counts.')),
      timeout_seconds: z.int().min(1).max(35).default(20).meta(told('How long to wait.')),
      ...rootInput,
    })
    .refine(({ path, port }) => (path === undefined) !== (port === undefined), {
      path: ['port'],
      error: 'give either `path` or `port`',
    }),
  output: envelope({
    happened: z.boolean().describe('Whether it happened in time.'),
    exists: z.boolean().describe('Whether the file is there, or the port is listened on.'),
    state: z.string().describe('A mark of how it is now.'),
  }),
  errors: {
    ...pathErrors,
    not_a_file: notAFile,
    port_closed: {
      status: 403,
      message: 'Commands of this machine may not reach its own ports, so neither may this.',
      suggestion: 'Ask the owner to add `localhost` to `terminal.network`, or watch a file.',
    },
    too_many_watches: {
      status: 429,
      message: 'The machine already waits for eight things for you, or for sixteen in all.',
      suggestion: 'Wait until another watch has ended.',
    },
  },
  examples: [
    {
      about: 'finds a file that is there already',
      input: { path: 'hello.py', until: 'exists' },
      output: {
        success: true,
        output: "'hello.py' exists.\n",
        files_affected: [],
        execution_time_ms: 1,
        metadata: { happened: true, exists: true, state: 'k3v0' },
      },
      varies: ['execution_time_ms', 'metadata.state'],
    },
  ],
  headline: firstLine,
});
