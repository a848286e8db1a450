import * as z from 'zod';
import { isServerName, SERVER_NAME_RULE } from '../../../src/joined/names.ts';
import { CliError, EXIT } from '../../lib/exit.ts';

const entry = z.strictObject({
  /** The program as a person would type it. */
  command: z.string().min(1).max(1_000),
  args: z.array(z.string().max(8_192)).max(100).default([]),
  /** Variables for its environment, besides the few that every program needs. */
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(8_192)).default({}),
  cwd: z.string().max(4_096).optional(),
  /** The only tools of it that are offered. If left out, all that keep the rules. */
  allow: z.array(z.string().max(128)).max(128).optional(),
});

/** The way in which the bridge starts a server. */
export type ServerEntry = z.infer<typeof entry>;

type ServerEntries = ReadonlyMap<string, ServerEntry>;

const shape = z
  .record(z.string().refine(isServerName, SERVER_NAME_RULE), entry)
  .refine((servers) => Object.keys(servers).length <= MAX_SERVERS, {
    error: () => `There can be at most ${MAX_SERVERS} servers.`,
  });

export const MAX_SERVERS = 16;

/** Checks the `servers` of a bridge's settings. */
export function serverEntries(servers: unknown): ServerEntries {
  const parsed = shape.safeParse(servers ?? {});
  if (parsed.success) return new Map(Object.entries(parsed.data));
  const [issue] = parsed.error.issues;
  throw new CliError(
    `\`servers\` in bridge.json cannot be used: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}.`,
    'Fix it, then start again. Each server has a command, and may have args, env, cwd and allow.',
    EXIT.usage,
  );
}
