import * as z from 'zod';
import { readsOnly, told, tool } from './contract.ts';
import { effectErrors, machineErrors } from './door-errors.ts';
import { effectEnvelope, effectInput, envelope, firstLine, machineInput } from './machine-fields.ts';
import {
  outputExample,
  outputFields,
  ranExample,
  sessionField,
  sessionNotFound,
} from './terminal-session-fields.ts';

export const terminalRead = tool({
  name: 'terminal_read',
  title: 'Read a terminal',
  description: 'Gives what a session printed since `offset`.',
  runsOn: 'machine',
  group: 'terminal',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 120, timeoutMs: 38_000 },
  hints: readsOnly,
  quotesOthers: true,
  input: z.strictObject({
    session: sessionField,
    offset: z.int().min(0).default(0).describe('The last `next_offset`.'),
    wait_seconds: z.int().min(0).max(35).default(0).meta(told('How long to wait for output.')),
    until: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta(told('A text to wait for instead.', 'A text to wait for.')),
    screen: z.boolean().default(false).describe('Give the screen instead.'),
    ...machineInput,
  }),
  output: envelope({
    ...outputFields,
    found: z.boolean().optional().describe('Whether `until` came.'),
  }),
  errors: {
    ...machineErrors,
    session_not_found: sessionNotFound,
    no_screen: {
      status: 503,
      message: 'The screen could not be drawn.',
      suggestion: 'Read the output without `screen`.',
    },
  },
  examples: [
    {
      about: 'waits for a command and reads what it printed',
      input: { session: 'work', wait_seconds: 30, until: 'hello\n' },
      output: {
        ...ranExample,
        output: "Session 'work' has ended with exit code 0.\nhello\n",
        metadata: { ...outputExample, found: true },
      },
      varies: ['execution_time_ms', 'output', 'metadata.running', 'metadata.exit_code'],
    },
  ],
  cut: { fields: ['output'], rest: 'Read again with a larger `offset`.' },
  headline: firstLine,
});

export const terminalList = tool({
  name: 'terminal_list',
  title: 'List terminals',
  description: 'Lists your sessions on a machine.',
  runsOn: 'machine',
  group: 'terminal',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 100, timeoutMs: 10_000 },
  hints: readsOnly,
  quotesOthers: true,
  saidTwice: ['sessions'],
  input: z.strictObject(machineInput),
  output: envelope({
    sessions: z
      .array(
        z.strictObject({
          session: z.string().describe('Its name.'),
          runs: z.string().describe('Its command or shell, with secrets removed.'),
          folder: z.string().describe('Where it was started, on the machine.'),
          running: outputFields.running,
          exit_code: outputFields.exit_code,
          started_at: z.iso.datetime().describe('When it was started.'),
          end_offset: z.int().min(0).describe('How much it has printed.'),
        }),
      )
      .describe('The sessions, the oldest first.'),
  }),
  errors: machineErrors,
  examples: [
    {
      about: 'lists the sessions',
      input: {},
      output: {
        ...ranExample,
        output: '1 session:\nwork: `npm run dev`, running\n',
        metadata: {
          sessions: [
            {
              session: 'work',
              runs: 'npm run dev',
              folder: '/home/user/project',
              running: true,
              exit_code: null,
              started_at: '2026-01-09T08:00:00Z',
              end_offset: 0,
            },
          ],
        },
      },
      varies: ['execution_time_ms', 'output', 'metadata.sessions'],
    },
  ],
  headline: firstLine,
});

export const terminalStop = tool({
  name: 'terminal_stop',
  title: 'Stop a terminal',
  description: 'Ends a session and all it started.',
  runsOn: 'machine',
  group: 'terminal',
  risk: 'safe_write',
  approval: 'never',
  limits: { perMinute: 60, timeoutMs: 30_000 },
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  quotesOthers: true,
  input: z.strictObject({
    session: sessionField,
    interrupt: z.boolean().default(false).describe('Only press Ctrl-C.'),
    ...effectInput,
    ...machineInput,
  }),
  output: effectEnvelope({
    session: outputFields.session,
    running: outputFields.running,
    exit_code: outputFields.exit_code,
  }),
  errors: { ...machineErrors, ...effectErrors, session_not_found: sessionNotFound },
  examples: [
    {
      about: 'ends a session',
      input: { session: 'work' },
      output: {
        ...ranExample,
        output: "Session 'work' was stopped.\n",
        metadata: { session: 'work', running: false, exit_code: null },
      },
      varies: ['execution_time_ms', 'output', 'metadata.exit_code'],
    },
  ],
  headline: firstLine,
});
