import { isWithin } from '../core/clock.ts';
import { problemOf, type Reach } from './check-server.ts';
import { type OAuthKeeping, oauthClient } from './oauth.ts';
import { type OAuthSecret, secretIn } from './secret.ts';

/** The time that the owner has at the server's sign-in page. */
export const SIGN_IN_MS = 10 * 60_000;

type Server = { readonly name: string; readonly url: string };

/** Finds the page on which the owner lets this gateway in at a server. */
export async function beginSignIn(
  { name, url }: Server,
  { gate, fetch, origin }: Reach,
): Promise<{ url: string } | { problem: string }> {
  const known = secretIn(await gate().serverSecret(name));
  // Start without the old tokens: they no longer work and would only be tried again.
  const { client } = known?.kind === 'oauth' ? known : {};
  const secret: OAuthSecret = client ? { kind: 'oauth', client } : { kind: 'oauth' };
  // The state holds the server's name, so that the answer says which server it is for. Nobody can guess the rest.
  const begun: NonNullable<OAuthKeeping['begun']> = {
    state: `${name}.${crypto.randomUUID()}${crypto.randomUUID()}`,
  };
  const keeping: OAuthKeeping = {
    origin,
    secret,
    begun,
    save: (next) => gate().keepServerSecret(name, JSON.stringify(next)),
  };
  try {
    const { auth } = await import('@modelcontextprotocol/client');
    await auth(oauthClient(keeping), { serverUrl: url, fetchFn: fetch });
  } catch (error) {
    return { problem: problemOf(error) };
  }
  const { sendTo, verifier, state, discovery } = begun;
  if (!sendTo || !verifier) return { problem: 'It does not say where to sign in.' };
  if (sendTo.protocol !== 'https:' && !isLoopback(sendTo))
    return { problem: 'Its sign-in page is not encrypted.' };
  const until = Date.now() + SIGN_IN_MS;
  await gate().keepServerSecret(
    name,
    JSON.stringify({
      ...keeping.secret,
      begun: { state, verifier, until, ...(discovery ? { discovery } : {}) },
    }),
  );
  return { url: sendTo.href };
}

/** Takes the answer with which the server's sign-in page sent the owner back. */
export async function finishSignIn(
  answer: URLSearchParams,
  { gate, fetch, origin }: Reach,
): Promise<{ server: string } | { problem: string }> {
  const state = answer.get('state') ?? '';
  const name = state.split('.')[0] ?? '';
  const server = await gate().server(name);
  const known = server ? secretIn(await gate().serverSecret(name)) : undefined;
  const begun = known?.kind === 'oauth' ? known.begun : undefined;
  if (
    !server?.url ||
    known?.kind !== 'oauth' ||
    begun?.state !== state ||
    !isWithin(SIGN_IN_MS, begun.until - SIGN_IN_MS, Date.now())
  ) {
    return { problem: 'It was not started here, or it was started too long ago.' };
  }
  const { begun: _, ...rest } = known;
  const code = answer.get('code');
  // It counts once, however it ends.
  await gate().keepServerSecret(name, JSON.stringify(rest));
  if (!code) return { problem: `The server said no${answer.has('error') ? '' : ' and gave no reason'}.` };
  const keeping: OAuthKeeping = {
    origin,
    secret: known,
    save: ({ begun: __, ...next }) => gate().keepServerSecret(name, JSON.stringify(next)),
  };
  try {
    const { auth } = await import('@modelcontextprotocol/client');
    const iss = answer.get('iss');
    await auth(oauthClient(keeping), {
      serverUrl: server.url,
      authorizationCode: code,
      fetchFn: fetch,
      ...(iss === null ? {} : { iss }),
    });
    return { server: name };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
