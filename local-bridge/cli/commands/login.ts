import { hostname } from 'node:os';
import type { Command } from 'commander';
import { SCOPES } from '../../../contracts/contract.ts';
import { openInBrowser, pageToOpen } from '../../lib/browser.ts';
import { credentialFor, forgetCredential, saveCredential } from '../../lib/credentials.ts';
import { CliError } from '../../lib/exit.ts';
import { bearerFor, reach } from '../../lib/gateway-client.ts';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { signInThroughBrowser } from '../../lib/oauth.ts';
import { asOwner } from '../../lib/owner-key.ts';
import { detail, done } from '../../lib/print.ts';

const LOGIN_TOKEN_DAYS = 90;

export function addLoginCommands(program: Command): void {
  program
    .command('login')
    .description('sign this computer in to a gateway, for the commands that call tools')
    .argument('[url]', 'the address of the gateway (default: BOWLINE_URL)')
    .option('--no-browser', 'print the address to open instead of opening it')
    .option('--headless', 'for a computer without a browser: type the owner key here instead')
    .addHelpText(
      'after',
      '\nExamples:\n  bowline login https://bowline.example.workers.dev\n  ssh mini bowline login --headless',
    )
    .action(login);
  program
    .command('logout')
    .description('sign this computer out, and make what it held worthless')
    .argument('[url]', 'the gateway (default: the current one)')
    .action(logout);
}

async function login(
  given: string | undefined,
  options: { browser: boolean; headless?: boolean },
): Promise<void> {
  const url = requiredGateway(given);
  if (options.headless) await loginWithKey(url);
  else {
    await signInThroughBrowser(url, (address) => {
      const page = pageToOpen(address, `The sign-in page that ${url} names`);
      console.log(`Open this to sign in:\n  ${page}`);
      if (options.browser) openInBrowser(page);
    });
  }
  done(`Signed in at ${url}.`);
  detail('Try', 'bowline call hello');
}

/** Signs in with the owner's key, used once to make a token that can only call tools. */
async function loginWithKey(url: string): Promise<void> {
  const name = `bowline on ${hostname()}`.slice(0, 80);
  const { secret, token } = await asOwner(url, (owner) =>
    owner.createToken({ name, scopes: SCOPES, days: LOGIN_TOKEN_DAYS, replace: true }),
  );
  saveCredential(url, { kind: 'token', token: secret, id: token.id });
}

async function logout(given: string | undefined): Promise<void> {
  const url = requiredGateway(given);
  const saved = credentialFor(url);
  if (!saved) throw new CliError(`This computer is not signed in at ${url}.`);
  const headers = await bearerFor(url);
  // Forget it on this computer whatever the gateway says, and tell the gateway if it can be reached.
  forgetCredential(url);
  const response = await reach(`${url}/api/token`, { method: 'DELETE', headers });
  if (!response.ok && response.status !== 401) {
    throw new CliError(
      `Signed out here, but ${url} answered ${response.status} when told.`,
      'Revoke it on the console’s Connections page.',
    );
  }
  done(`Signed out of ${url}.`);
}
