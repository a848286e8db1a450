import * as z from 'zod';
import { visible } from '../../../src/core/visible.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { jsonOrNothing } from '../../lib/private-file.ts';
import { stepFailed } from './failed-step.ts';
import type { Wrangler } from './wrangler-command.ts';

const whoami = z.union([
  z.looseObject({
    loggedIn: z.literal(true),
    email: z.string().nullish(),
    accounts: z.array(z.looseObject({ id: z.string(), name: z.string() })),
  }),
  z.looseObject({ loggedIn: z.literal(false) }),
]);

export interface Account {
  readonly id: string;
  readonly name: string;
}

export const WHOAMI = ['whoami', '--json'];

/**
 * Finds the account to deploy to: the named one, or the only one. `signIn` is called if nobody is signed in, and tells
 * whether to look again.
 */
export async function findAccount(
  wrangler: Wrangler,
  named: string | undefined,
  signIn: () => Promise<boolean> = async () => false,
): Promise<Account> {
  const accounts =
    (await accountsHere(wrangler)) ?? ((await signIn()) ? await accountsHere(wrangler) : undefined);
  if (!accounts) {
    throw new CliError(
      'Nobody is signed in to Cloudflare here.',
      'Run `npx wrangler login` (an account is free), or set CLOUDFLARE_API_TOKEN; then run `bowline deploy` again.',
    );
  }
  const list = accounts.map(({ id, name }) => `  ${id}  ${visible(name, 80)}`).join('\n');
  if (named !== undefined) {
    const found = accounts.find(({ id, name }) => id === named || name === named);
    if (found) return found;
    throw new CliError(
      `This sign-in has no account ${visible(named, 80)}. It has:\n${list}`,
      undefined,
      EXIT.usage,
    );
  }
  const [only] = accounts;
  if (only && accounts.length === 1) return only;
  throw only
    ? new CliError(`Which account? This sign-in has:\n${list}`, 'Name one with --account <id>.', EXIT.usage)
    : new CliError('This sign-in has no Cloudflare account.', 'Sign in with another: `npx wrangler login`.');
}

/** Lists the accounts of who is signed in; `undefined` if nobody is. */
async function accountsHere(wrangler: Wrangler): Promise<readonly Account[] | undefined> {
  const ran = await wrangler({ args: WHOAMI });
  // Wrangler may print notices before and after the answer.
  const said = whoami.safeParse(
    jsonOrNothing(ran.stdout.slice(ran.stdout.indexOf('{'), ran.stdout.lastIndexOf('}') + 1)),
  );
  if (!said.success) throw stepFailed('Asking who is signed in', ran);
  return said.data.loggedIn ? said.data.accounts : undefined;
}
