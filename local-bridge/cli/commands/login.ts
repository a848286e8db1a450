import { hostname } from 'node:os';
import type { Command } from 'commander';
import { SCOPES } from '../../../contracts/contract.ts';
import { bridgeSettings } from '../../agent/policy/settings.ts';
import { openInBrowser, pageToOpen } from '../../lib/browser.ts';
import { credentialFor, forgetCredential, saveCredential } from '../../lib/credentials.ts';
import { CliError } from '../../lib/exit.ts';
import { bearerFor, reach } from '../../lib/gateway-client.ts';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { bowlineHome } from '../../lib/home.ts';
import { localTime } from '../../lib/local-time.ts';
import { signInThroughBrowser } from '../../lib/oauth.ts';
import { continueAsOwner, openSession } from '../../lib/owner-client.ts';
import { askForKey, asOwner } from '../../lib/owner-key.ts';
import { forgetOwnerSession, keepOwnerSession, keptOwnerSession } from '../../lib/owner-session-file.ts';
import { detail, done } from '../../lib/print.ts';
import { isRealTerminal } from '../../lib/real-terminal.ts';
import { isUnavailable } from '../../tools/terminal/confine.ts';
import { openNamespace } from '../../tools/terminal/namespace.ts';

const LOGIN_TOKEN_DAYS = 90;

export function addLoginCommands(program: Command): void {
  program
    .command('login')
    .description('sign this computer in to a gateway: to call tools, and for the owner’s commands')
    .argument('[url]', 'the address of the gateway (default: BOWLINE_URL)')
    .option('--no-browser', 'print the address to open instead of opening it')
    .option('--headless', 'for a computer without a browser: type the owner key here instead')
    .option('--as-owner', 'sign in for the owner’s commands alone, for eight hours')
    .addHelpText(
      'after',
      '\nExamples:\n  bowline login https://bowline.example.workers.dev\n  bowline login --as-owner\n  ssh mini bowline login --headless',
    )
    .action(login);
  program
    .command('logout')
    .description('sign this computer out, and revoke its sign-in')
    .argument('[url]', 'the gateway (default: the current one)')
    .action(logout);
}

async function login(
  given: string | undefined,
  options: { browser: boolean; headless?: boolean; asOwner?: boolean },
): Promise<void> {
  const url = requiredGateway(given);
  if (options.asOwner) return loginAsOwner(url);
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
  if (options.headless || !isRealTerminal()) return;
  detail('For the owner’s commands', 'bowline login --as-owner');
}

/** Opens a session for `ledger`, `approvals` and the owner's other commands, and keeps it for a working day. */
async function loginAsOwner(url: string): Promise<void> {
  if (!isHomeClosed())
    throw new CliError(
      'Commands that models run on this computer could read the owner’s session, so none is kept here.',
      'Install bubblewrap and socat, or leave terminal.sandbox on. Until then each command asks for the owner key.',
    );
  const held = await openSession(url, await askForKey('Owner key, or a one-time code (not shown): '));
  await endOwnerSession(url);
  const until = keepOwnerSession(url, held);
  done(`Signed in as the owner of ${url}, in terminals of this computer, until ${localTime(until)}.`);
  detail('Try', 'bowline ledger');
  detail('Lasting changes', 'ask for the key again, five minutes after you gave it');
}

/** Tells whether Bowline's folder is closed to commands that tools run here. */
function isHomeClosed(): boolean {
  const home = bowlineHome();
  if (process.platform === 'linux') return !isUnavailable(openNamespace(home));
  return process.platform === 'win32' || bridgeSettings(home).terminal?.sandbox !== 'off';
}

async function endOwnerSession(url: string): Promise<void> {
  const kept = keptOwnerSession(url);
  forgetOwnerSession();
  if (!kept) return;
  const never = () => Promise.reject(new CliError('That session is over.'));
  // If the gateway is out of reach, the session ends by itself.
  await continueAsOwner(url, kept.held, never)
    .signOut()
    .catch(() => undefined);
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
  await endOwnerSession(url);
  if (!saved) throw new CliError(`This computer is not signed in at ${url}.`);
  const headers = await bearerFor(url);
  // Forget it on this computer even if the gateway cannot be told.
  forgetCredential(url);
  const response = await reach(`${url}/api/token`, { method: 'DELETE', headers });
  if (!response.ok && response.status !== 401) {
    throw new CliError(
      `Signed out here, but ${url} did not revoke the sign-in: it answered ${response.status}.`,
      'Revoke it on the console’s Connections page.',
    );
  }
  done(`Signed out of ${url}.`);
}
