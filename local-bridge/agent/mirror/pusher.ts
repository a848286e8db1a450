import { stdin, stdout } from 'node:process';
import { bearerFor } from '../../lib/gateway-client.ts';
import { type OwnerSession, signInAsOwner } from '../../lib/owner-client.ts';
import { askForKey } from '../../lib/owner-key.ts';
import type { BearerHeaders } from './gateway.ts';

/** The pusher: headers that identify it, and the end of a session that was opened for one push. */
export interface Pusher {
  readonly bearer: BearerHeaders;
  over(): Promise<void>;
}

/**
 * Finds out who pushes: the owner with the key in `BOWLINE_OWNER_KEY`; else the token in `BOWLINE_TOKEN`; else the
 * owner, who types the key once for all pushes. The sign-in of `bowline login` cannot push, so with it the gateway
 * only says what is missing.
 */
export function pusherAt(url: string): Pusher {
  let key = process.env.BOWLINE_OWNER_KEY;
  let signedIn: Promise<OwnerSession> | undefined;
  const asOwner = async () => {
    signedIn ??= signInAsOwner(url, key ?? '');
    return (await signedIn).headers;
  };
  return {
    bearer: async () => {
      if (!key && !process.env.BOWLINE_TOKEN && stdin.isTTY && stdout.isTTY) key = await askForKey();
      return key ? asOwner() : bearerFor(url);
    },
    over: async () => {
      const session = signedIn;
      signedIn = undefined;
      // A session that could not be closed ends by itself.
      await session?.then(({ signOut }) => signOut()).catch(() => undefined);
    },
  };
}
