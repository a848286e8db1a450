import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { Inbox } from './oauth-inbox.ts';

type Provider = Required<
  Pick<
    OAuthClientProvider,
    | 'redirectUrl'
    | 'clientMetadata'
    | 'state'
    | 'clientInformation'
    | 'saveClientInformation'
    | 'tokens'
    | 'saveTokens'
    | 'redirectToAuthorization'
    | 'saveCodeVerifier'
    | 'codeVerifier'
    | 'invalidateCredentials'
    | 'saveDiscoveryState'
    | 'discoveryState'
  >
>;

/** An app's memory of its sign-in, as both generations of the SDK want it kept. */
export function memoryProvider(name: string, redirectUrl: string, asks: Inbox<URL>) {
  let client: Awaited<ReturnType<Provider['clientInformation']>>;
  let tokens: Awaited<ReturnType<Provider['tokens']>>;
  let found: Awaited<ReturnType<Provider['discoveryState']>>;
  let verifier = '';
  const provider: Provider = {
    redirectUrl,
    clientMetadata: {
      client_name: name,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => 'a state of the app',
    clientInformation: () => client,
    saveClientInformation: (saved) => {
      client = saved;
    },
    tokens: () => tokens,
    saveTokens: (saved) => {
      tokens = saved;
    },
    redirectToAuthorization: (url) => asks.put(url),
    saveCodeVerifier: (saved) => {
      verifier = saved;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (saved) => {
      found = saved;
    },
    discoveryState: () => found,
    invalidateCredentials: (what) => {
      if (what === 'all' || what === 'tokens') tokens = undefined;
      if (what === 'all' || what === 'client') client = undefined;
    },
  };
  return {
    provider,
    accessToken: () => tokens?.access_token ?? '',
    spoilAccessToken: () => {
      if (tokens) tokens = { ...tokens, access_token: spoilt(tokens.access_token) };
    },
  };
}

/** A token of the same look that opens nothing, as one does that has run out. */
export function spoilt(token: string): string {
  return `${token.slice(0, -4)}AAAA`;
}
