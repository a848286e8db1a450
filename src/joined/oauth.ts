import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { OAuthSecret } from './secret.ts';

/** Where a server's sign-in sends the owner back to. */
export const CALLBACK_PATH = '/servers/callback';

export interface OAuthKeeping {
  readonly origin: string;
  /** What is known so far; replaced as more is learnt. */
  secret: OAuthSecret;
  save(secret: OAuthSecret): Promise<void>;
  /** Only while the owner is there to be sent somewhere. */
  begun?: { readonly state: string; sendTo?: URL; verifier?: string; discovery?: object };
}

/** This gateway as a client of a server's sign-in, its memory kept in the gate. */
export function oauthClient(keeping: OAuthKeeping): OAuthClientProvider {
  const { origin } = keeping;
  const keep = (more: Partial<OAuthSecret>) => {
    keeping.secret = { ...keeping.secret, ...more };
    return keeping.save(keeping.secret);
  };
  return {
    redirectUrl: origin + CALLBACK_PATH,
    clientMetadata: {
      client_name: 'Bowline',
      client_uri: origin,
      redirect_uris: [origin + CALLBACK_PATH],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => keeping.begun?.state ?? '',
    // What is read back is what the SDK gave to be kept.
    clientInformation: () => keeping.secret.client as never,
    saveClientInformation: (client) => keep({ client: { ...client } }),
    tokens: () => keeping.secret.tokens as never,
    saveTokens: (tokens) => keep({ tokens: { ...tokens } }),
    redirectToAuthorization: (url) => {
      // Without the owner at hand nobody is sent anywhere; the call fails and says so.
      if (keeping.begun) keeping.begun.sendTo = url;
    },
    saveCodeVerifier: (verifier) => {
      if (keeping.begun) keeping.begun.verifier = verifier;
    },
    saveDiscoveryState: (discovery) => {
      if (keeping.begun) keeping.begun.discovery = { ...discovery };
    },
    discoveryState: () => (keeping.begun?.discovery ?? keeping.secret.begun?.discovery) as never,
    codeVerifier: () => keeping.secret.begun?.verifier ?? '',
    invalidateCredentials: (scope) => {
      if (scope === 'verifier' || scope === 'discovery') return;
      const { client, ...rest } = keeping.secret;
      const { tokens: _, ...left } = rest;
      keeping.secret = scope === 'tokens' && client ? { ...left, client } : left;
      return keeping.save(keeping.secret);
    },
  };
}
