import * as z from 'zod';
import { utf8Bytes } from './bytes.ts';
import { told, tool } from './contract.ts';
import { effectErrors } from './door-errors.ts';
import {
  directoryNotFound,
  effectEnvelope,
  effectInput,
  firstLine,
  notADirectory,
  pathErrors,
  pathField,
  rootInput,
} from './machine-fields.ts';
import { runInTerminal } from './terminal.ts';
import {
  KEYS,
  MAX_LINE_BYTES,
  MAX_SESSIONS,
  NO_CONTROLS,
  outputExample,
  outputFields,
  ranExample,
  sessionField,
  sessionNotFound,
} from './terminal-session-fields.ts';

export const terminalStart = tool({
  name: 'terminal_start',
  title: 'Start a terminal',
  description:
    'Starts a terminal that lasts: a shell, whose folder and variables stay, or `command`, such as a dev server.',
  runsOn: 'machine',
  group: 'terminal',
  risk: 'dangerous',
  approval: 'ask',
  limits: { perMinute: 20, timeoutMs: 30_000 },
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  hasPreview: true,
  input: z.strictObject({
    session: sessionField.meta(told('A name for it.')),
    command: runInTerminal.input.shape.command.optional().meta(told('What to run; default: a shell.')),
    cwd: pathField.optional().meta(told('Where to start.')),
    ...effectInput,
    ...rootInput,
  }),
  output: effectEnvelope({
    ...outputFields,
    sandboxed: z.boolean().describe("Whether it runs inside the system's sandbox."),
  }),
  errors: {
    ...pathErrors,
    ...effectErrors,
    directory_not_found: directoryNotFound,
    not_a_directory: notADirectory,
    terminal_off: runInTerminal.errors.terminal_off,
    no_lasting_terminal: {
      status: 503,
      message: 'This machine has no lasting terminals.',
      suggestion: 'Run the command with `run_in_terminal`.',
    },
    session_exists: {
      status: 409,
      message: 'You have a running session of that name.',
      suggestion: 'Use it, stop it with `terminal_stop`, or choose another name.',
    },
    too_many_sessions: {
      status: 429,
      message: `The machine already runs ${MAX_SESSIONS} sessions.`,
      suggestion: 'Stop one with `terminal_stop`.',
    },
  },
  examples: [
    {
      about: 'starts a command',
      input: { session: 'work', command: 'echo hello' },
      output: {
        ...ranExample,
        output: "Session 'work' has ended with exit code 0.\nhello\n",
        metadata: { ...outputExample, sandboxed: true },
      },
      varies: ['execution_time_ms', 'output', 'metadata'],
    },
  ],
  cut: { fields: ['output'], rest: 'Read the rest with `terminal_read`.' },
  headline: firstLine,
});

export const terminalSend = tool({
  name: 'terminal_send',
  title: 'Type into a terminal',
  description: 'Types a line into a session, or `keys`, and gives what it prints.',
  details: 'Rules judge it like a command.',
  runsOn: 'machine',
  group: 'terminal',
  risk: 'dangerous',
  approval: 'ask',
  limits: { perMinute: 60, timeoutMs: 30_000 },
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  hasPreview: true,
  input: z
    .strictObject({
      session: sessionField,
      text: z
        .string()
        .min(1)
        .max(4_000)
        .regex(NO_CONTROLS, 'must not contain control or invisible characters; use `keys`')
        .refine(
          (text) => text.split('\n').every((line) => utf8Bytes(line) <= MAX_LINE_BYTES),
          `must not contain a line of more than ${MAX_LINE_BYTES} bytes`,
        )
        .optional()
        .meta(told('What to type.')),
      keys: z.array(z.enum(KEYS)).min(1).max(20).optional().meta(told('Or what to press.')),
      program: z
        .boolean()
        .default(false)
        .describe('Type for the program in front, without Enter; always asks.'),
      cwd: pathField.optional().describe('Where its shell is now.'),
      ...effectInput,
      ...rootInput,
    })
    .refine(({ text, keys }) => (text === undefined) !== (keys === undefined), {
      path: ['keys'],
      error: 'give either `text` or `keys`',
    }),
  output: effectEnvelope(outputFields),
  errors: {
    ...pathErrors,
    ...effectErrors,
    directory_not_found: directoryNotFound,
    not_a_directory: notADirectory,
    terminal_off: runInTerminal.errors.terminal_off,
    session_not_found: sessionNotFound,
    session_ended: {
      status: 409,
      message: 'The session has ended.',
      suggestion: 'Read what it printed with `terminal_read`, or start it again.',
    },
    not_at_prompt: {
      status: 409,
      message: 'The session does not wait for a command at an empty line in this folder.',
      suggestion:
        'Interrupt the program with `terminal_stop`, name the folder in `cwd`, or type for the program with `program`.',
    },
  },
  examples: [
    {
      about: 'answers a program that asks',
      input: { session: 'work', text: 'yes\n', program: true },
      output: {
        ...ranExample,
        output: "Session 'work' has ended with exit code 0.\nyes\n",
        metadata: outputExample,
      },
      varies: ['execution_time_ms', 'output', 'metadata'],
    },
  ],
  cut: { fields: ['output'], rest: 'Read the rest with `terminal_read`.' },
  headline: firstLine,
});
