import { CliError } from '../../lib/exit.ts';
import { bearerFor } from '../../lib/gateway-client.ts';
import { type OwnerSession, signInAsOwner } from '../../lib/owner-client.ts';

/** The access that the examination has at the gateway. */
export interface Pass {
  readonly owner?: OwnerSession;
  readonly token: string | undefined;
  readonly problem?: { readonly message: string; readonly cure: string };
  close(): Promise<void>;
}

/** The pass for an address that must get no token. */
export const noPass: Pass = { token: undefined, close: async () => undefined };

/** Gives the owner's session with a token for this examination, or this computer's own sign-in. */
export async function passFor(url: string, ownerKey: string | undefined): Promise<Pass> {
  const nothing = async () => undefined;
  try {
    if (ownerKey === undefined) {
      const { authorization } = await bearerFor(url);
      return { token: authorization?.replace(/^Bearer /, ''), close: nothing };
    }
    const owner = await signInAsOwner(url, ownerKey);
    const { secret, token } = await owner.createToken({
      name: 'bowline doctor',
      scopes: ['read', 'machine'],
      days: 1,
      replace: true,
    });
    return {
      owner,
      token: secret,
      close: async () => {
        await owner.call('DELETE', `tokens/${token.id}`);
        await owner.signOut();
      },
    };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const cure = error.suggestion ?? 'Sign in again with `bowline login`.';
    return { token: undefined, problem: { message: error.message, cure }, close: nothing };
  }
}
