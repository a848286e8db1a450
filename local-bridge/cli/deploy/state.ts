import { join } from 'node:path';
import * as z from 'zod';
import { CliError } from '../../lib/exit.ts';
import { jsonOrNothing, readIfThere, writePrivate } from '../../lib/private-file.ts';

const version = z.object({ id: z.string(), schema: z.string() });

const shape = z.object({
  /** The Worker's name. */
  name: z.string(),
  account: z.object({ id: z.string(), name: z.string() }),
  /** The address, known after the first deploy. */
  url: z.string().optional(),
  /** The requested domain, if it is not one of workers.dev. */
  domain: z.string().optional(),
  github: z.string().optional(),
  /**
   * `setting` means that an owner key may be set but was not shown yet, so that an interrupted deploy makes a new
   * one.
   */
  ownerKey: z.enum(['setting', 'shown', 'kept']).optional(),
  version: z.string().optional(),
  /** Cloudflare's id of the version that runs, and of the one before it, if both have the same secrets. */
  running: version.optional(),
  previous: version.optional(),
});

/** The known facts about a deployment, without secrets. */
export type Deployment = z.infer<typeof shape>;

export function deploymentOf(home: string): Deployment | undefined {
  const text = readIfThere(fileIn(home));
  if (text === undefined) return undefined;
  const parsed = shape.safeParse(jsonOrNothing(text));
  if (parsed.success) return parsed.data;
  throw new CliError(
    `${fileIn(home)} is damaged.`,
    'Move it away and deploy again. The deploy finds the Worker by its name.',
  );
}

export function saveDeployment(home: string, deployment: Deployment): void {
  writePrivate(fileIn(home), `${JSON.stringify(deployment, null, 2)}\n`);
}

function fileIn(home: string): string {
  return join(home, 'deploy.json');
}
