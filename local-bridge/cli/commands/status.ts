import type { Command } from 'commander';
import { leftIn } from '../../../src/core/time-words.ts';
import { type Credential, credentialFor } from '../../lib/credentials.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { bearerFor, reach } from '../../lib/gateway-client.ts';
import { gatewayUrl, requiredGateway } from '../../lib/gateway-url.ts';
import { bowlineHome } from '../../lib/home.ts';
import { localTime } from '../../lib/local-time.ts';
import { complain, detail, done, printJson } from '../../lib/print.ts';
import { howToSignIn } from '../../lib/running-up.ts';
import { readStatus } from '../service/status-file.ts';

interface Options {
  readonly json?: boolean;
}

export function addStatusCommands(program: Command): void {
  program
    .command('status')
    .description('show the gateway, whether you are signed in, and what this computer serves')
    .option('--json', 'print it as JSON')
    .action(status);
  program
    .command('whoami')
    .description('show which gateway this computer is signed in to, and how')
    .option('--json', 'print it as JSON')
    .action(whoAmI);
}

/** The standing of this computer at a gateway: `signed in`, or why not. */
type Standing = 'signed in' | 'not signed in' | 'refused' | 'not reached';

async function status({ json }: Options): Promise<void> {
  const url = gatewayUrl();
  const gateway = url === undefined ? null : { url, ...(await standingAt(url)) };
  const bridge = readStatus(bowlineHome()) ?? null;
  if (json) return printJson({ gateway, bridge });
  if (gateway === null) {
    complain('No gateway is set.', howToSignIn());
  } else tellGateway(gateway);
  if (bridge === null)
    return console.log(
      'No bridge of its own runs on this computer. `bowline machines` shows those that the gateway knows.',
    );
  done(`This computer is ${bridge.state} as ${bridge.machine} since ${localTime(bridge.since)}.`);
  detail('Serves', bridge.gateway);
  for (const { name, path } of bridge.roots) detail(name, path);
}

function tellGateway({ url, standing, why }: { url: string; standing: Standing; why: string | null }): void {
  const login = 'Run `bowline login`.';
  if (standing === 'signed in') done(`${url} answers, and this computer is signed in.`);
  else if (standing === 'not signed in')
    complain(`${url} answers, but this computer is not signed in there.`, login);
  else if (standing === 'refused')
    complain(`Signed out: ${url} no longer accepts the sign-in of this computer.`, login);
  else complain(why ?? `${url} does not answer.`);
}

async function standingAt(url: string): Promise<{ standing: Standing; why: string | null }> {
  try {
    const headers = await bearerFor(url);
    // The list of tools is open to everybody, so only a call tells whether the gateway takes the token.
    const { status } = await reach(`${url}/tools/list_machines`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    });
    if (!('authorization' in headers)) return { standing: 'not signed in', why: null };
    if (status === 401) return { standing: 'refused', why: null };
    // 403 means a valid token without the scope for this call.
    if (status === 200 || status === 403) return { standing: 'signed in', why: null };
    return { standing: 'not reached', why: `${url} answered ${status} when asked for its machines.` };
  } catch (error) {
    if (error instanceof CliError) return { standing: 'not reached', why: error.message };
    throw error;
  }
}

async function whoAmI({ json }: Options): Promise<void> {
  const url = requiredGateway();
  const { standing, why } = await standingAt(url);
  const holds = process.env.BOWLINE_TOKEN ? 'the token in BOWLINE_TOKEN' : heldBy(credentialFor(url));
  if (json) return printJson({ gateway: url, standing, holds: holds ?? null });
  if (standing !== 'signed in') process.exitCode = EXIT.failed;
  tellGateway({ url, standing, why });
  if (holds !== undefined) detail('With', holds);
}

function heldBy(saved: Credential | undefined): string | undefined {
  if (saved === undefined) return undefined;
  if (saved.kind === 'token') return 'a token that `bowline login --headless` made';
  const left =
    saved.expiresAt === undefined ? '' : ` (${leftIn(saved.expiresAt - Date.now())}; it renews itself)`;
  return `a sign-in through the browser${left}`;
}
