import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { SCOPES } from '../../contracts/contract.ts';
import { errorText } from '../../src/core/error-text.ts';
import { listenForCallback } from './callback.ts';
import { type Credential, credentialFor, saveCredential } from './credentials.ts';
import { CliError } from './exit.ts';

/** Load this library only for a sign-in, because it is slow to load. */
const loadAuth = async () => (await import('@modelcontextprotocol/client')).auth;

type OAuthCredential = Extract<Credential, { kind: 'oauth' }>;

/** Signs in through a browser: OAuth with a loopback redirect, as any connector does. */
export async function signInThroughBrowser(url: string, show: (authorizeUrl: string) => void): Promise<void> {
  const callback = await listenForCallback();
  const state = randomBytes(32).toString('base64url');
  const provider = providerFor(url, { redirectUrl: callback.redirectUrl, state, show, startAfresh: true });
  const target = { serverUrl: `${url}/mcp`, scope: SCOPES.join(' ') };
  try {
    const auth = await loadAuth();
    if ((await auth(provider, target)) === 'REDIRECT') {
      const { code, iss } = await callback.code(state);
      await auth(provider, { ...target, authorizationCode: code, ...(iss === undefined ? {} : { iss }) });
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    const why = errorText(error);
    throw new CliError(`Signing in at ${url} failed: ${why}`, 'Is that the address of your gateway?');
  } finally {
    callback.close();
  }
}

/** Gives the access token for a gateway. Renews it first if it is about to expire. */
export async function freshAccessToken(url: string, saved: OAuthCredential): Promise<string> {
  const soon = Date.now() + 60_000;
  if (saved.tokens && (saved.expiresAt ?? Number.POSITIVE_INFINITY) > soon) return saved.tokens.access_token;
  const ranOut = new CliError(
    `The sign-in at ${url} ran out or was revoked.`,
    `Run \`bowline login ${url}\` again.`,
  );
  // Without a redirect address, the library thinks that this program has no user.
  const flow = { redirectUrl: 'http://127.0.0.1/callback', state: '', show: () => Promise.reject(ranOut) };
  const auth = await loadAuth();
  await auth(providerFor(url, flow), { serverUrl: `${url}/mcp` });
  const renewed = credentialFor(url);
  if (renewed?.kind === 'oauth' && renewed.tokens) return renewed.tokens.access_token;
  throw ranOut;
}

interface Flow {
  readonly redirectUrl: string;
  readonly state: string;
  readonly startAfresh?: boolean;
  show(authorizeUrl: string): void | Promise<void>;
}

/** Makes the client that the OAuth library works with. Its data is kept in the credentials file. */
function providerFor(url: string, { redirectUrl, state, show, startAfresh }: Flow): OAuthClientProvider {
  const known = credentialFor(url);
  // A new redirect port needs a new registration, so a sign-in starts with no saved data.
  let saved: Partial<OAuthCredential> = known?.kind === 'oauth' && !startAfresh ? known : {};
  let verifier = '';
  let discovery: OAuthDiscoveryState | undefined;
  const keep = (change: Partial<OAuthCredential>) => {
    saved = { ...saved, ...change };
    if (saved.client) saveCredential(url, { ...saved, kind: 'oauth', client: saved.client });
  };
  return {
    redirectUrl,
    clientMetadata: {
      client_name: `bowline on ${hostname()}`,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: SCOPES.join(' '),
    },
    state: () => state,
    clientInformation: () => saved.client,
    saveClientInformation: (client) => keep({ client: { ...client } }),
    tokens: () => saved.tokens,
    saveTokens: (tokens) =>
      keep({
        tokens: { ...tokens },
        ...(tokens.expires_in === undefined ? {} : { expiresAt: Date.now() + tokens.expires_in * 1000 }),
      }),
    redirectToAuthorization: (address) => show(address.href),
    saveCodeVerifier: (value) => {
      verifier = value;
    },
    codeVerifier: () => verifier,
    // The code goes only to the server that the sign-in began with.
    saveDiscoveryState: (found) => {
      discovery = found;
    },
    discoveryState: () => discovery,
  };
}
