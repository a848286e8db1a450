import * as z from 'zod';
import { VERSION } from '../../../src/core/version.ts';
import { CliError } from '../../lib/exit.ts';
import { jsonOrNothing } from '../../lib/private-file.ts';
import { WHOAMI } from './account.ts';
import { configFile, writeConfig } from './config.ts';
import { stepFailed } from './failed-step.ts';
import { leftNamespace, NAMESPACES, namespaceOf } from './namespace.ts';
import { runsNow } from './roll-back.ts';
import { missingSecrets } from './secrets.ts';
import { type Deployment, saveDeployment } from './state.ts';
import type { Wrangler, WranglerRan } from './wrangler-command.ts';

/** The means of a deployment. */
interface DeployPorts {
  readonly home: string;
  readonly wrangler: Wrangler;
  /** Announces a step before it happens. */
  says(line: string): void;
  /** Shows a secret once, and never again. */
  shows(label: string, secret: string, what: string): void;
}

const SECRETS = ['OWNER_KEY_HASH', 'MEMORY_KEY', 'GITHUB_WEBHOOK_SECRET'];
/** Stands for the address until the first deploy gives it. */
const UNKNOWN = 'address.invalid';
const BUCKETS = ['r2', 'bucket', 'list'];

const secretList = z.array(z.looseObject({ name: z.string() }));
const deployed = z.looseObject({ type: z.literal('deploy'), targets: z.array(z.string()).nullish() });

/** Lists every step as a person would type it. Secrets go in by stdin, so only their names stand here. */
export function plannedSteps(
  plan: Pick<Deployment, 'name' | 'url' | 'domain' | 'github'>,
  home: string,
): string[] {
  const { name, url, domain, github } = plan;
  const config = configFile(home);
  const known = url ?? (domain === undefined ? undefined : `https://${domain}`);
  const deploy = (at: string | undefined) =>
    `wrangler ${deployArgs({ ...plan, url: at }, config).join(' ')}`.replaceAll(UNKNOWN, 'ITS-ADDRESS');
  const secrets = SECRETS.filter((secret) => github !== undefined || !secret.startsWith('GITHUB')).join(', ');
  return [
    `wrangler ${WHOAMI.join(' ')}    (which account)`,
    `wrangler ${BUCKETS.join(' ')}    (is R2 on)`,
    `write ${config}    (wrangler.toml of this clone, for the Worker ${name})`,
    `wrangler ${secretArgs('list', name, config).join(' ')}    (which secrets are set)`,
    `wrangler ${NAMESPACES.join(' ')} --config ${config}    (the first time: is ${namespaceOf(name)} left of a try that failed)`,
    `${deploy(known)}    (makes KV namespace, bucket ${name}-blobs and Durable Objects that are missing)`,
    `wrangler ${secretArgs('bulk', name, config).join(' ')}    (those missing of ${secrets}, by stdin)`,
    ...(known === undefined ? [`${deploy(`https://${UNKNOWN}`)}    (now that it is known)`] : []),
    `bowline doctor ${known ?? 'https://ITS-ADDRESS'}`,
  ];
}

function secretArgs(what: 'list' | 'bulk', name: string, config: string): string[] {
  return ['secret', what, '--name', name, '--config', config];
}

function deployArgs(
  { name, url, domain, github }: Pick<Deployment, 'name' | 'url' | 'domain' | 'github'>,
  config: string,
): string[] {
  const vars = {
    ...(url === undefined ? {} : { PUBLIC_URL: url, ALLOWED_HOSTS: new URL(url).hostname }),
    ...(github === undefined ? {} : { GITHUB_REPO: github }),
  };
  return [
    'deploy',
    ...['--name', name, '--config', config],
    // Keep variables that were set in the dashboard.
    '--keep-vars',
    ...(domain === undefined ? [] : ['--domain', domain]),
    ...Object.entries(vars).flatMap(([key, value]) => ['--var', `${key}:${value}`]),
  ];
}

/** Takes every step, or says which one failed. Each step can be repeated. */
export async function deploySteps(
  before: Deployment,
  { newOwnerKey }: { readonly newOwnerKey: boolean },
  ports: DeployPorts,
): Promise<{ deployment: Deployment & { readonly url: string }; ownerKey?: string }> {
  const { home, says } = ports;
  let deployment = before;
  const save = (change: Partial<Deployment>) => {
    deployment = { ...deployment, ...change };
    saveDeployment(home, deployment);
  };
  const run = async (step: string, args: readonly string[], stdin?: string): Promise<WranglerRan> => {
    says(step);
    const account = deployment.account.id;
    const ran = await ports.wrangler({ args, account, ...(stdin === undefined ? {} : { stdin }) });
    if (ran.code !== 0) throw stepFailed(step, ran);
    return ran;
  };

  save({});
  const { name, domain } = deployment;
  await run('Checking whether R2 is on', BUCKETS);
  const config = writeConfig(home, name);
  const there = await secretsThere(ports, deployment, config);
  if (!there) writeConfig(home, name, await leftNamespace(ports.wrangler, deployment, config));
  const known = domain === undefined ? deployment.url : `https://${domain}`;
  const first = await run('Deploying the gateway', deployArgs({ ...deployment, url: known }, config));
  const url = known ?? addressIn(first);
  save({ url });

  const made = missingSecrets({
    there: there ?? [],
    // Nobody knows a key that was set and never shown, so make another.
    newOwnerKey: newOwnerKey || deployment.ownerKey === 'setting',
    github: deployment.github !== undefined,
  });
  const setsSecrets = Object.keys(made.values).length > 0;
  if (setsSecrets) {
    if (made.ownerKey) save({ ownerKey: 'setting' });
    await run('Setting the secrets', secretArgs('bulk', name, config), JSON.stringify(made.values));
    if (made.ownerKey) ports.shows('Owner key', made.ownerKey, 'it signs you in to the console');
    if (made.webhookSecret)
      ports.shows('GitHub webhook secret', made.webhookSecret, `for ${url}/hooks/github`);
    if (made.ownerKey) save({ ownerKey: 'shown' });
  } else if (deployment.ownerKey === undefined) save({ ownerKey: 'kept' });

  const last =
    known === undefined
      ? await run('Telling the gateway its address', deployArgs({ ...deployment, url }, config))
      : first;
  const { running, previous } = runsNow(deployment, last, setsSecrets && last === first);
  save({ version: VERSION, running, previous: setsSecrets ? undefined : previous });
  return { deployment: { ...deployment, url }, ...(made.ownerKey ? { ownerKey: made.ownerKey } : {}) };
}

/** Gives the names of the secrets that are set, or nothing if the Worker does not exist. */
async function secretsThere(
  { wrangler, says }: DeployPorts,
  { name, account }: Deployment,
  config: string,
): Promise<string[] | undefined> {
  const step = 'Checking which secrets are set';
  says(step);
  const ran = await wrangler({ args: secretArgs('list', name, config), account: account.id });
  if (ran.code !== 0 && /code: 10007|does not exist|not found/i.test(`${ran.stdout}${ran.stderr}`))
    return undefined;
  const said = secretList.safeParse(
    jsonOrNothing(ran.stdout.slice(ran.stdout.indexOf('['), ran.stdout.lastIndexOf(']') + 1)),
  );
  if (ran.code !== 0 || !said.success) throw stepFailed(step, ran);
  return said.data.map((secret) => secret.name);
}

/** Finds the Worker's address: in wrangler's report for programs, or else in its output. */
function addressIn({ events, stdout }: WranglerRan): string {
  const reports = events.flatMap((event) => {
    const report = deployed.safeParse(event);
    return report.success ? (report.data.targets ?? []) : [];
  });
  for (const text of [...reports, stdout]) {
    const found = /https?:\/\/[^\s()]+/.exec(text)?.[0];
    if (found && URL.canParse(found)) return new URL(found).origin;
  }
  throw new CliError(
    'The gateway is deployed, but wrangler names no address for it.',
    'Turn its workers.dev address on in the dashboard, or give a domain of yours: `bowline deploy --url https://bowline.example.com`.',
  );
}
