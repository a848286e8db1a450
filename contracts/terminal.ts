import * as z from 'zod';
import { readsOnly, told, tool } from './contract.ts';
import { effectErrors, machineErrors } from './door-errors.ts';
import {
  directoryNotFound,
  effectEnvelope,
  effectInput,
  envelope,
  firstLine,
  machineInput,
  notADirectory,
  pathErrors,
  pathField,
  rootInput,
} from './machine-fields.ts';

const exitCode = z
  .int()
  .nullable()
  .describe('What the command exited with; null if it was stopped before it could exit.');

// A command that exits with a failure or runs out of time gives an envelope with `success: false`, not an
// error. Its output is most of the answer and it may have had effects, and an error would carry neither.
// `command_not_found` is for a command that is one unknown program and nothing else: only then nothing ran.

export const runInTerminal = tool({
  name: 'run_in_terminal',
  title: 'Run a command',
  description:
    'Runs a shell command on a machine and gives its output. Each starts anew, without input, in the open folder or `cwd`.',
  details:
    "Runs in the user's shell, inside the system's sandbox where there is one. Standard output and error come back even when the command fails or is stopped, up to 1 MB with head and tail kept. The owner approves each call.",
  runsOn: 'machine',
  group: 'terminal',
  risk: 'dangerous',
  approval: 'ask',
  // Longer than the longest `timeout_seconds`, so that the command's own limit stops it first.
  limits: { perMinute: 20, timeoutMs: 310_000 },
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  hasPreview: true,
  input: z.strictObject({
    command: z
      .string()
      .min(1)
      .max(32_768)
      .regex(/\S/)
      // No program can get a NUL: the command would be cut short there, or would not run.
      .refine((command) => !command.includes('\0'), 'must not contain a NUL character')
      .meta(told('The shell command to run.')),
    cwd: pathField
      .optional()
      .meta(told('Folder to run it in, relative to the open folder; default: that itself.')),
    timeout_seconds: z
      .int()
      .min(1)
      .max(300)
      .default(30)
      .meta(told('After how many seconds the command, and all it started, is stopped.')),
    ...effectInput,
    ...rootInput,
  }),
  output: effectEnvelope({
    exit_code: exitCode,
    stdout_lines: z.int().min(0).describe('Lines the command wrote to standard output.'),
    stderr_lines: z.int().min(0).describe('Lines the command wrote to standard error.'),
    timed_out: z.boolean().describe('Whether it was stopped because its time ran out.'),
    truncated: z.boolean().describe('Whether the middle of the output was left out.'),
    sandboxed: z.boolean().describe("Whether it ran inside the system's sandbox."),
    more_files_affected: z
      .int()
      .optional()
      .describe('How many more files changed than `files_affected` names.'),
    undo: z
      .string()
      .optional()
      .describe('How many of the changed files the owner can put back, and which not.'),
    files_not_compared: z
      .boolean()
      .optional()
      .describe(
        'True if not all of the open folder was compared: it is very large, or parts cannot be read.',
      ),
    runs_by_itself: z
      .array(
        z.strictObject({
          path: z.string().describe('Where it was found, in an open folder.'),
          outcome: z
            .enum(['moved_aside', 'left', 'changed', 'removed'])
            .describe('What became of it: `left`, `changed` and `removed` were not undone.'),
          moved_to: z.string().optional().describe('Where it is now, on the machine.'),
        }),
      )
      .optional()
      .describe('Files the command left that other programs run or obey by themselves, such as git hooks.'),
  }).extend({
    files_affected: z
      .array(z.string())
      .describe(
        'Files below the open folder that were created, changed or removed while the command ran, by whomever; at most 100, none in `.git` and `node_modules`.',
      ),
  }),
  errors: {
    ...pathErrors,
    ...effectErrors,
    directory_not_found: directoryNotFound,
    not_a_directory: notADirectory,
    command_not_found: {
      status: 404,
      message: 'The shell knows no command of that name, so nothing ran.',
      suggestion: 'Check the spelling, or see with `which` what is installed.',
    },
    terminal_off: {
      status: 503,
      message: 'The terminal of this machine is turned off.',
      suggestion: 'Run `bowline doctor` on the machine; it says whether the setting or the sandbox is why.',
    },
  },
  examples: [
    {
      about: 'runs a command',
      input: { command: 'echo hello' },
      output: {
        success: true,
        output: 'Command output:\nhello\n',
        files_affected: [],
        execution_time_ms: 150,
        metadata: {
          exit_code: 0,
          stdout_lines: 1,
          stderr_lines: 0,
          timed_out: false,
          truncated: false,
          sandboxed: true,
        },
      },
      varies: ['execution_time_ms', 'metadata.sandboxed'],
    },
    {
      about: 'keeps the output of a command that fails',
      input: { command: 'echo oops >&2; exit 3' },
      output: {
        success: false,
        output: 'Error: Command failed with exit code 3:\noops\n',
        files_affected: [],
        execution_time_ms: 150,
        metadata: {
          exit_code: 3,
          stdout_lines: 0,
          stderr_lines: 1,
          timed_out: false,
          truncated: false,
          sandboxed: true,
        },
      },
      varies: ['execution_time_ms', 'metadata.sandboxed'],
    },
  ],
  cut: { fields: ['output'], rest: 'Ask `get_call` for the rest, with the call id and an `offset`.' },
  headline: firstLine,
});

export const terminalLastCommand = tool({
  name: 'terminal_last_command',
  title: 'Show the last command',
  description: 'Gives the last command that you ran with `run_in_terminal`, and its output.',
  details: 'Commands that others ran are not shown.',
  runsOn: 'machine',
  group: 'terminal',
  risk: 'read_only',
  approval: 'never',
  limits: { perMinute: 100, timeoutMs: 10_000 },
  hints: readsOnly,
  quotesOthers: true,
  saidTwice: ['command'],
  input: z.strictObject(machineInput),
  output: envelope({
    command: z.string().describe('The command, with secrets removed.'),
    exit_code: exitCode,
    executed_at: z.iso.datetime().describe('When it was started, by the clock of the machine.'),
  }),
  errors: {
    ...machineErrors,
    no_previous_command: {
      status: 404,
      message: 'No command has been run in this session.',
      suggestion: 'Run one with `run_in_terminal` first.',
    },
  },
  examples: [
    {
      about: 'shows the command that ran last',
      input: {},
      output: {
        success: true,
        output: 'Last command: echo hello\nOutput: hello\n',
        files_affected: [],
        execution_time_ms: 1,
        metadata: { command: 'echo hello', exit_code: 0, executed_at: '2025-11-10T10:05:00Z' },
      },
      varies: ['execution_time_ms', 'metadata.executed_at'],
    },
  ],
  cut: { fields: ['output'], rest: 'Run the command again and write its output to a file to read the rest.' },
  headline: firstLine,
});
