import { type Command, InvalidArgumentError } from 'commander';
import { visible } from '../../../src/core/visible.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { bowlineHome } from '../../lib/home.ts';
import { detail, done } from '../../lib/print.ts';
import { isRealTerminal } from '../../lib/real-terminal.ts';
import { saysYes } from '../../lib/says-yes.ts';
import { type Account, findAccount } from '../deploy/account.ts';
import { isClone } from '../deploy/config.ts';
import { rollBack } from '../deploy/roll-back.ts';
import { type Deployment, deploymentOf } from '../deploy/state.ts';
import { deploySteps, plannedSteps } from '../deploy/steps.ts';
import { type Wrangler, wranglerCommand, wranglerLogin } from '../deploy/wrangler-command.ts';
import { examine } from '../doctor/examine.ts';
import { firstFailure } from '../doctor/finding.ts';
import { printer, verdict } from '../doctor/report.ts';

export interface DeployOptions {
  readonly name?: string;
  readonly url?: URL;
  readonly github?: string;
  readonly account?: string;
  readonly newOwnerKey?: boolean;
  readonly rollBack?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly doctor: boolean;
}

type Plan = Omit<Deployment, 'account'>;

export function addDeployCommand(program: Command): void {
  program
    .command('deploy')
    .description('deploy the gateway to Cloudflare, or update it')
    .option('--name <name>', 'the name of the Worker (default: bowline)', workerName)
    .option(
      '--url <url>',
      'a domain of your own in that account, instead of a workers.dev address',
      ownDomain,
    )
    .option('--github <owner/repo>', 'follow a GitHub repo; makes the secret for its webhook', githubRepo)
    .option('--account <id>', 'the Cloudflare account, if you have several')
    .option('--new-owner-key', 'make a new owner key; the old one stops working')
    .option(
      '--roll-back',
      'let the version run again that ran before the last deployment; data stays as it is',
    )
    .option('--dry-run', 'print every step, and do none of them')
    .option('--yes', 'do not ask before the first deploy')
    .option('--no-doctor', 'do not run `bowline doctor` afterwards')
    .addHelpText(
      'after',
      `
It asks once, before the first deploy. Run it again to upgrade: your settings and secrets stay. The owner
key is printed once and kept nowhere. If a step fails, fix what it names and run it again.

Examples:
  bowline deploy --dry-run
  bowline deploy
  bowline deploy --url https://bowline.example.com
  bowline deploy --github me/notes`,
    )
    .action(deploy);
}

/** Runs `bowline deploy`. */
export async function deploy(options: DeployOptions): Promise<void> {
  if (!isClone()) {
    throw new CliError(
      'A deploy needs the source, and this is the package for machines.',
      'Clone Bowline, run `npm ci` there, then `npx bowline deploy`.',
    );
  }
  const home = bowlineHome();
  const known = deploymentOf(home);
  const plan = planOf(known, options);
  if (options.dryRun) {
    console.log('A deploy would take these steps; nothing is done now:');
    for (const [i, step] of plannedSteps(plan, home).entries()) console.log(`  ${i + 1}. ${step}`);
    return;
  }
  const wrangler = wranglerCommand(process.env);
  console.log('Checking who is signed in to Cloudflare …');
  const named = options.account ?? (process.env.CLOUDFLARE_ACCOUNT_ID || known?.account.id);
  const account = await findAccount(wrangler, named, offerLogin);
  if (!known && !options.rollBack) await confirm(plan.name, account, options);
  else if (known && known.account.id !== account.id) {
    throw otherDeployment(`in the Cloudflare account ${visible(known.account.name, 80)}`);
  }
  if (options.rollBack) return goBack(known, options, wrangler);
  const { deployment, ownerKey } = await deploySteps(
    { ...plan, account },
    { newOwnerKey: options.newOwnerKey === true },
    {
      home,
      wrangler,
      says: (step) => console.log(`${step} …`),
      shows: (label, secret, what) => {
        done(`${label} (${what}). It is shown only once, so keep it in a password manager:`);
        console.log(`  ${secret}`);
      },
    },
  );
  done(`Bowline is deployed: ${deployment.url}`);
  detail('Connector', `${deployment.url}/mcp`);
  detail('Console', `${deployment.url}/`);
  if (!known && !ownerKey) detail('Owner key', 'unchanged; --new-owner-key makes another');
  detail('This computer', `bowline login ${deployment.url} && bowline pair ${deployment.url}`);
  if (options.doctor) await look(deployment.url, ownerKey ?? (process.env.BOWLINE_OWNER_KEY || undefined));
}

async function goBack(known: Deployment | undefined, { doctor }: DeployOptions, wrangler: Wrangler) {
  if (!known?.url) throw new CliError('Nothing is deployed from here.', 'Run `bowline deploy` first.');
  console.log('Going back to the version before …');
  await rollBack(bowlineHome(), known, wrangler);
  done(`The version before the last deployment runs again: ${known.url}`);
  if (doctor) await look(known.url, process.env.BOWLINE_OWNER_KEY || undefined);
}

/** Combines the new options with what is known from earlier. */
function planOf(known: Deployment | undefined, { name, url, github }: DeployOptions): Plan {
  if (known && name !== undefined && name !== known.name) throw otherDeployment(`the Worker ${known.name}`);
  return {
    ...(known ?? { name: name ?? 'bowline' }),
    ...(url && { url: url.origin }),
    ...(url && !url.hostname.endsWith('.workers.dev') && { domain: url.hostname }),
    ...(github === undefined ? {} : { github }),
  };
}

function otherDeployment(what: string): CliError {
  return new CliError(
    `This computer already deploys ${what}.`,
    'For a second deployment, point BOWLINE_HOME at another folder.',
    EXIT.usage,
  );
}

async function confirm(name: string, account: Account, { yes }: DeployOptions): Promise<void> {
  if (yes) return;
  const what = `the Worker ${name} in the Cloudflare account ${visible(account.name, 80)}`;
  if (!isRealTerminal()) {
    throw new CliError(
      `This would create ${what}, and there is no terminal to ask in.`,
      'Add --yes, or see the steps with --dry-run.',
      EXIT.usage,
    );
  }
  if (!(await saysYes(`Create ${what}, with its storage? (y/n) `)))
    throw new CliError('Nothing was created.');
}

/** Offers to sign in to Cloudflare with the browser, if there is a person to do it. */
async function offerLogin(): Promise<boolean> {
  if (!isRealTerminal()) return false;
  const question =
    'Nobody is signed in to Cloudflare here. Sign in with your browser now? An account is free. (y/n) ';
  return (await saysYes(question)) && wranglerLogin(process.env);
}

async function look(url: string, ownerKey: string | undefined): Promise<void> {
  console.log('\nChecking it as Claude and ChatGPT would …');
  const findings = await examine({ url, ownerKey, heard: printer(console.log) });
  console.log(`\n${verdict(findings)}`);
  if (!firstFailure(findings)) return;
  console.log('A new address takes a minute or two to work everywhere. `bowline doctor` checks again.');
  process.exitCode = EXIT.failed;
}

function workerName(text: string): string {
  if (/^[a-z0-9](?:[a-z0-9-]{0,52}[a-z0-9])?$/.test(text)) return text;
  throw new InvalidArgumentError('A name has small letters, digits and hyphens, at most 54.');
}

function ownDomain(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' && url.pathname === '/' && url.port === '') return url;
  throw new InvalidArgumentError('It looks like https://bowline.example.com.');
}

function githubRepo(text: string): string {
  if (/^[\w.-]+\/[\w.-]+$/.test(text)) return text;
  throw new InvalidArgumentError('It looks like owner/repo.');
}
