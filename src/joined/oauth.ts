import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { OAuthSecret } from './secret.ts';

/** The path to which a server's sign-in sends the owner back. */
const CALLBACK_PATH = '/servers/callback';

export interface OAuthKeeping {
  readonly origin: string;
  /** The knowledge so far. It is replaced as more becomes known. */
  secret: OAuthSecret;
  save(secret: OAuthSecret): Promise<void>;
  /** Set only while the owner is there and can be sent to a page. */
  begun?: { readonly state: string; sendTo?: URL; verifier?: string; discovery?: object };
}

/** Makes this gateway a client of a server's sign-in. The gate keeps its memory. */
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
    // The SDK itself stored this value.
    clientInformation: () => keeping.secret.client as never,
    saveClientInformation: (client) => keep({ client: { ...client } }),
    tokens: () => keeping.secret.tokens as never,
    saveTokens: (tokens) => keep({ tokens: { ...tokens } }),
    redirectToAuthorization: (url) => {
      // Without the owner, nobody can be sent to a page: the call fails and says so.
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
