import * as z from 'zod';
import { told } from './contract.ts';

/** The most sessions of a machine that run at the same time, for all callers together. */
export const MAX_SESSIONS = 8;

/** The longest line to type. A terminal of macOS cuts a longer one, and the rest would be another command. */
export const MAX_LINE_BYTES = 1_000;

/** The most bytes of output in one answer. */
export const READ_BYTES = 32_768;

/** The keys that are no text. */
export const KEYS = [
  ...['enter', 'ctrl-c', 'ctrl-d', 'ctrl-z', 'tab', 'escape', 'backspace'],
  ...['up', 'down', 'left', 'right'],
] as const;

/** The name of a session. */
export const sessionField = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/)
  .meta(told('Its name.'));

/** Text without control and invisible characters, but for line ends. */
export const NO_CONTROLS = /^(?:\n|[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}])*$/u;

export const sessionNotFound = {
  status: 404,
  message: 'You have no session of that name on this machine.',
  suggestion: 'See `terminal_list`, or start one with `terminal_start`.',
} as const;

/** What every answer about a session's output says. */
export const outputFields = {
  session: z.string().describe('The name of the session.'),
  running: z.boolean().describe('Whether its program still runs.'),
  exit_code: z
    .int()
    .nullable()
    .describe('What its program exited with; null while it runs, or if it was stopped.'),
  next_offset: z.int().min(0).describe('The `offset` to read on from. An unfinished last line comes again.'),
  missed_bytes: z.int().min(0).describe('How much of the output before is kept no more.'),
};

/** Fields of an example that are the same in all. */
export const ranExample = {
  success: true,
  files_affected: [],
  execution_time_ms: 150,
};
export const outputExample = {
  session: 'work',
  running: false,
  exit_code: 0,
  next_offset: 6,
  missed_bytes: 0,
};
