import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { CliError } from '../../lib/exit.ts';
import { PROJECT } from '../../lib/project.ts';
import { stepFailed } from './failed-step.ts';
import { type Deployment, saveDeployment } from './state.ts';
import type { Wrangler, WranglerRan } from './wrangler-command.ts';

const deployed = z.looseObject({ type: z.literal('deploy'), version_id: z.string() });

/** Names the steps of every database, so that an older Worker never meets a database it does not know. */
function schemaNow(project: string = PROJECT): string {
  const steps = readdirSync(join(project, 'migrations'), { recursive: true }).map(String).sort();
  return createHash('sha256').update(steps.join('\n')).digest('hex').slice(0, 16);
}

/** Says what runs after a deployment, and what ran before it. */
export function runsNow(
  before: Deployment,
  ran: WranglerRan,
  secretsSetAfter: boolean,
): Pick<Deployment, 'running' | 'previous'> {
  const [report] = ran.events.flatMap((event) => deployed.safeParse(event).data ?? []);
  // Secrets belong to a version. One from before they were set would lack them, or bring the old ones back.
  if (!report || secretsSetAfter) return { running: undefined, previous: undefined };
  return { running: { id: report.version_id, schema: schemaNow() }, previous: before.running };
}

/** Lets the version that ran before the last deployment run again. Data stays as it is. */
export async function rollBack(home: string, deployment: Deployment, wrangler: Wrangler): Promise<void> {
  const { name, account, running, previous } = deployment;
  if (!running || !previous) {
    throw new CliError(
      'There is no version to go back to.',
      'One is known after two deployments with the same secrets. To bring older sources back, check them out and run `bowline deploy`.',
    );
  }
  if (running.schema !== previous.schema) {
    throw new CliError(
      'The version before does not know the database as it is now.',
      'Restore a backup into a fresh gateway instead: see docs/upgrade.md.',
    );
  }
  const args = ['rollback', previous.id, '--name', name, '--message', 'bowline deploy --roll-back', '--yes'];
  const ran = await wrangler({ args, account: account.id });
  if (ran.code !== 0) throw stepFailed('Going back', ran);
  saveDeployment(home, { ...deployment, running: previous, previous: undefined });
}
