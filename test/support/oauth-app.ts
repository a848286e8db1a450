import { createHash, randomBytes } from 'node:crypto';

/** An app reduced to what goes over the wire, for pages that have to be looked at closely. */
export interface BareApp {
  readonly clientId: string;
  /** A new address for the owner to open. */
  ask(scope?: string): URL;
  /** What the answer to the last address is worth. */
  redeem(answer: URLSearchParams): Promise<{ access_token: string; refresh_token?: string; scope: string }>;
}

/** Registers an app by that name; anybody may. */
export async function registerApp(
  gateway: string,
  { name, redirectUrl }: { name: string; redirectUrl: string },
): Promise<BareApp> {
  const registration = await fetch(`${gateway}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: name,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    }),
  });
  const { client_id: clientId } = (await registration.json()) as { client_id?: string };
  if (!clientId) throw new Error(`Registering answered ${registration.status}.`);
  let verifier = '';
  return {
    clientId,
    ask: (scope) => {
      verifier = randomBytes(32).toString('base64url');
      const url = new URL('/authorize', gateway);
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUrl,
        state: 'a state of the app',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        resource: `${gateway}/mcp`,
        ...(scope === undefined ? {} : { scope }),
      }).toString();
      return url;
    },
    redeem: async (answer) => {
      const response = await fetch(`${gateway}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          client_id: clientId,
          code: answer.get('code') ?? '',
          redirect_uri: redirectUrl,
          code_verifier: verifier,
        }),
      });
      if (!response.ok) throw new Error(`The token endpoint answered ${response.status}.`);
      return response.json();
    },
  };
}
