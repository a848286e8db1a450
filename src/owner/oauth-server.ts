import { OAuthAuthorizationServer } from '@cloudflare/workers-oauth-provider';
import { SCOPES } from '../../contracts/contract.ts';
import { type AddressOf, networkOf } from './address.ts';
import { type Limit, limits } from './throttle.ts';

/** The bindings for OAuth's records. */
export interface OAuthEnv {
  readonly OAUTH_KV: KVNamespace;
}

/** OAuth's user id of the owner, the only user of a deployment. */
export const OWNER_ID = 'owner';

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** The life of an app's access token. */
export const ACCESS_MS = HOUR * 1_000;

/** The data that a grant adds to every request with its tokens. */
export interface GrantProps {
  readonly clientName: string;
  /** The owner's record that this app is let in. Without the record, the app's tokens are void. */
  readonly accessId: string;
}

/** Counts attempts, and says for how long the next one has to wait, in milliseconds. */
interface AttemptCounter {
  attempt(attempts: readonly { what: string; limit: Limit }[]): Promise<number>;
}

/** Makes the OAuth 2.1 server for connectors from the library, with this gateway's addresses and limits. */
export function oauthServer(
  origin: string,
  owner: () => AttemptCounter,
  { addressOf, report }: { addressOf: AddressOf; report: (error: unknown, where: string) => void },
) {
  return new OAuthAuthorizationServer<OAuthEnv>({
    issuer: origin,
    resources: [`${origin}/mcp`],
    scopesSupported: [...SCOPES],
    clientRegistrationEndpoint: '/oauth/register',
    clientIdMetadataDocumentEnabled: true,
    // The consent page refuses addresses that belong to no app (`isAppAddress`).
    allowPrivateUseRedirectUris: true,
    accessTokenTTL: HOUR,
    refreshTokenTTL: 30 * DAY,
    refreshTokenIdleTTL: 30 * DAY,
    clientRegistrationCallback: async ({ request }) => {
      const wait = await owner().attempt([
        { what: `register:${networkOf(addressOf(request))}`, limit: limits.registerFrom },
        { what: 'register', limit: limits.registerAll },
      ]);
      if (wait <= 0) return undefined;
      const retryAfter = Math.ceil(wait / 1000);
      const description = `Too many registrations; try again in ${retryAfter} seconds.`;
      // The library has no `Retry-After` here, but it passes this object to `onError`.
      const refusal = { code: 'temporarily_unavailable', description, status: 429, retryAfter };
      return refusal;
    },
    onError: ({ code, description, status, headers, internal }) => {
      // Log only codes and the failed check: descriptions can repeat what a client sent.
      if (status >= 500) report(new Error(`OAuth ${code}: ${JSON.stringify(internal.reason)}`), 'oauth');
      if (internal.reason !== 'callback_denied') return undefined;
      const { retryAfter } = internal.detail as { retryAfter: number };
      const body = { error: code, error_description: description };
      return Response.json(body, { status, headers: { ...headers, 'retry-after': String(retryAfter) } });
    },
  });
}
