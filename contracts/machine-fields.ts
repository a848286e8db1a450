import * as z from 'zod';
import { told } from './contract.ts';
import { effectErrors, machineErrors } from './door-errors.ts';

/** A machine's name, at pairing and in a call. */
export const machineName = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/);

/** Input of every tool that runs on a machine. */
export const machineInput = {
  machine: machineName.optional().meta(told('Name of a machine; default: the only one online.')),
};

/** Input of every machine tool that works inside an open folder. */
export const rootInput = {
  root: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta(told('Name of an open folder; default: the first.', 'An open folder.')),
  ...machineInput,
};

/** Input of every tool that is not `read_only`, wherever it runs. */
export const effectInput = {
  idempotency_key: z
    .string()
    .min(1)
    .max(128)
    .regex(/^[!-~]+$/)
    .optional()
    .meta(told('The same key gives the first outcome again, for 24 hours.')),
  repeat: z.boolean().default(false).meta(told('Run it although the very same request came before.')),
  reason: z
    .string()
    .max(300)
    .optional()
    .meta(told('Why, in one sentence for the owner.', 'Why, for the owner.')),
};

/** Output of every tool that is not `read_only`, wherever it runs. */
export const effectOutput = {
  replayed: z
    .boolean()
    .optional()
    .describe('True if this is the kept outcome of an earlier call, and nothing ran now.'),
};

/** Gives the line that goes before a replayed result, and `undefined` for any other result. */
export function replayLine(output: unknown): string | undefined {
  const isReplayed =
    typeof output === 'object' && output !== null && 'replayed' in output && output.replayed === true;
  return isReplayed ? REPLAYED : undefined;
}

/** The first line of a replayed answer, on every way out. */
export const REPLAYED = 'Replayed: this is the outcome of an earlier call. Nothing ran now.';

/** A path inside a root. The machine's workspace judges it. */
export const pathField = z.string().min(1).max(4_096);

/** The fields that hold such a path, wherever a tool has one. */
export const PATH_FIELDS = ['path', 'base_path', 'cwd'] as const;

/** The absolute path, for people only. */
export const locationField = z.string().describe('The absolute path on the machine.');

/** Makes the output of a machine tool: the frame that ten tools share, with metadata of the tool's own. */
export function envelope<Metadata extends z.ZodRawShape>(metadata: Metadata) {
  return z.strictObject({
    success: z.boolean().describe('Whether the tool did what it was asked to do.'),
    output: z.string().describe('One line that says what happened, followed by the content if there is any.'),
    files_affected: z
      .array(z.string())
      .describe('Paths, relative to the open folder, that the tool itself created or changed.'),
    execution_time_ms: z.int().min(0).describe('How long the machine worked on it, in milliseconds.'),
    metadata: z
      .strictObject({
        ...metadata,
        warning: z
          .string()
          .optional()
          .describe('Something that limits the result without spoiling it; `output` says it too.'),
      })
      .describe('The same result as data.'),
  });
}

/** Makes the same output for a tool that changes something. */
export function effectEnvelope<Metadata extends z.ZodRawShape>(metadata: Metadata) {
  return envelope(metadata).extend(effectOutput);
}

/** Gives the headline of an envelope. */
export function firstLine({ output }: { readonly output: string }): string {
  return output.split('\n', 1)[0] ?? '';
}

/** Failures of every tool that names a path on a machine. */
export const pathErrors = {
  ...machineErrors,
  unknown_root: {
    status: 404,
    message: 'The machine has no open folder of that name.',
    suggestion: 'Use a name that `list_machines` gives for this machine, or leave `root` out.',
  },
  invalid_path: {
    status: 400,
    message: 'The path contains something that Bowline refuses in names.',
    suggestion: 'Use plain names without control characters, trailing dots or spaces, `:` or reserved names.',
  },
  path_outside_root: {
    status: 403,
    message: 'The path is outside the working directory.',
    suggestion:
      'Give a path inside an open folder that `list_machines` shows, without `..`, and follow no links out of it.',
  },
  path_denied: {
    status: 403,
    message: 'Bowline keeps this path closed.',
    suggestion: 'Choose another path; secrets, hooks and settings that run code are closed on purpose.',
  },
  permission_denied: {
    status: 403,
    message: "The machine's own permissions forbid this.",
    suggestion: "Choose another path, or ask the owner to change the file's permissions.",
  },
} as const;

/** Failures of every tool that writes below an open folder. */
export const writeErrors = {
  ...pathErrors,
  ...effectErrors,
  write_failed: {
    status: 500,
    message: 'The machine could not write to its disk.',
    suggestion: 'See whether the disk is full or read-only, then call again.',
  },
} as const;

export const fileNotFound = {
  status: 404,
  message: 'There is no file of that name in the working directory.',
  suggestion: 'Check the file name and try again, or use `file_search` to find it.',
} as const;

export const directoryNotFound = {
  status: 404,
  message: 'There is no directory of that name in the working directory.',
  suggestion: 'Check the name and try again, or use `list_dir` on the folder above.',
} as const;

export const notAFile = {
  status: 400,
  message: 'The path is not a regular file.',
  suggestion: 'Use `list_dir` if it is a directory; devices, pipes and hard links are never opened.',
} as const;

export const notADirectory = {
  status: 400,
  message: 'The path is not a directory.',
  suggestion: 'Use `read_file` if it is a file, or `list_dir` on the folder above.',
} as const;

export const invalidGlob = {
  status: 400,
  message: 'The glob pattern is not valid.',
  suggestion: 'Close every `[` and `{`; patterns look like `**/*.py`.',
} as const;
