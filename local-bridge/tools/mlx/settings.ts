import * as z from 'zod';
import { CliError, EXIT } from '../../lib/exit.ts';

const shape = z.strictObject({
  /** The command that starts a model server. Bowline adds `--model=… --host … --port …`. */
  command: z.array(z.string().min(1)).min(1).default(['mlx_lm.server']),
  /** Another computer that runs the models, by its name for `ssh`. */
  host: z
    .string()
    .regex(/^[A-Za-z0-9_][A-Za-z0-9_.@-]*$/)
    .optional(),
  ssh: z.array(z.string().min(1)).min(1).default(['ssh']),
  /**
   * Folders with one model each, by absolute path on the computer that runs them. A call must name one exactly so.
   */
  folders: z
    .array(
      z
        .string()
        .max(256)
        .regex(/^\/[^\p{Cc}]+$/u, 'must be an absolute path'),
    )
    .default([]),
  /** The time that a model has to answer for the first time. */
  ready_seconds: z.int().min(1).max(570).default(300),
  /** The wait after each of SIGINT, SIGTERM and SIGKILL. */
  stop_seconds: z.int().min(1).max(15).default(10),
  /** The minutes after which to unload a model that answered nobody; 0 means never. */
  idle_minutes: z.int().min(0).max(10_080).default(0),
  /** Memory that must stay free beside the model. */
  reserve_bytes: z.int().min(0).default(1_073_741_824),
});

/** The owner's settings for models on this machine. */
export type MlxSettings = z.output<typeof shape>;

/** Reads the `mlx` section of the machine's settings. */
export function mlxSettings(section: unknown = {}): MlxSettings {
  const parsed = shape.safeParse(section);
  if (parsed.success) return parsed.data;
  const why = parsed.error.issues.map(({ path, message }) => `mlx.${path.join('.')}: ${message}`).join('; ');
  throw new CliError(`The settings cannot be used: ${why}.`, 'Fix `mlx` in bridge.json.', EXIT.usage);
}
