import { errorText } from '../core/error-text.ts';
import { cleaned } from '../core/visible.ts';
import type { Conformity } from './conform.ts';
import type { HostPorts } from './host-ports.ts';
import { type HttpServer, SignInWanted, withHttpServer } from './http-server.ts';
import { oauthClient } from './oauth.ts';
import { secretIn } from './secret.ts';
import type { ServerSession } from './session.ts';

export type Reach = Pick<HostPorts, 'gate' | 'fetch' | 'origin' | 'events'>;

/** The time that the owner waits for a server's list. */
const CHECK_MS = 20_000;

/** Gives a server's address with the way to sign in there. */
export async function accessTo(name: string, url: string, { gate, origin }: Reach): Promise<HttpServer> {
  const secret = secretIn(await gate().serverSecret(name));
  switch (secret?.kind) {
    case undefined:
      return { url };
    case 'token':
      return { url, auth: { token: async () => secret.token } };
    case 'oauth': {
      const save = (next: typeof secret) => gate().keepServerSecret(name, JSON.stringify(next));
      return { url, auth: oauthClient({ origin, secret, save }) };
    }
  }
}

/** Reads a server's list over an open connection, and stores the result. */
export async function readList(
  session: ServerSession,
  { name, allow }: { readonly name: string; readonly allow: readonly string[] | null },
  { gate, events }: Reach,
  signal: AbortSignal,
): Promise<Conformity> {
  const { conformAll } = await import('./conform.ts');
  const conformity = conformAll(name, await session.list({ signal }), allow ?? undefined);
  const { isOther } = await gate().takeServerTools(name, conformity);
  if (isOther) events.publish({ kind: 'tools_list_changed' });
  return conformity;
}

/** Asks a server for its list now. Stores any problem where the owner looks. */
export async function checkServer(
  server: { readonly name: string; readonly url: string; readonly allow: readonly string[] | null },
  reach: Reach,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(CHECK_MS);
  try {
    const access = await accessTo(server.name, server.url, reach);
    await withHttpServer(access, reach.fetch, signal, (session) => readList(session, server, reach, signal));
    return undefined;
  } catch (error) {
    const problem = problemOf(error);
    await reach.gate().serverProblem(server.name, problem);
    return problem;
  }
}

/** Says what went wrong with a server, in words that are safe to show. */
export function problemOf(error: unknown): string {
  if (error instanceof SignInWanted) return 'It wants the owner to sign in, or a token.';
  return cleaned(errorText(error), 300) || 'It does not answer.';
}
