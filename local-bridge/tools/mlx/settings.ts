import * as z from 'zod';
import { CliError, EXIT } from '../../lib/exit.ts';

const shape = z.strictObject({
  /** What starts a model server; `--model=… --host … --port …` is added to it. */
  command: z.array(z.string().min(1)).min(1).default(['mlx_lm.server']),
  /** Another computer that runs the models, as `ssh` knows it. */
  host: z
    .string()
    .regex(/^[A-Za-z0-9_][A-Za-z0-9_.@-]*$/)
    .optional(),
  ssh: z.array(z.string().min(1)).min(1).default(['ssh']),
  /** How long a model may take until it answers. */
  ready_seconds: z.int().min(1).max(570).default(300),
  /** How long a server is waited for after each of SIGINT, SIGTERM and SIGKILL. */
  stop_seconds: z.int().min(1).max(15).default(10),
  /** Unloads a model that answered nobody for so long; 0 never does. */
  idle_minutes: z.int().min(0).max(10_080).default(0),
  /** Memory that has to stay free beside the model. */
  reserve_bytes: z.int().min(0).default(1_073_741_824),
});

/** How this machine runs models, as its owner set it. */
export type MlxSettings = z.output<typeof shape>;

/** Reads the `mlx` section of the machine's settings. */
export function mlxSettings(section: unknown = {}): MlxSettings {
  const parsed = shape.safeParse(section);
  if (parsed.success) return parsed.data;
  const why = parsed.error.issues.map(({ path, message }) => `mlx.${path.join('.')}: ${message}`).join('; ');
  throw new CliError(`The settings cannot be used: ${why}.`, 'Mend `mlx` in bridge.json.', EXIT.usage);
}
