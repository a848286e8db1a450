import type { AuthProvider, OAuthClientProvider } from '@modelcontextprotocol/client';
import type { Fetch } from '../web/guarded-fetch.ts';
import { GREETING_MS } from './joined-limits.ts';
import type { ServerSession } from './session.ts';

/** The largest answer of a server. */
export const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const ATTEMPTS = 2;
const PAUSE_MS = 250;

export interface HttpServer {
  readonly url: string;
  /** Signs the gateway in at the server; left out where nobody has to sign in. */
  readonly auth?: AuthProvider | OAuthClientProvider | undefined;
}

/** The server wants a sign-in, or another account. */
export class SignInWanted extends Error {
  override name = 'SignInWanted';
}

/** Connects to a server for one piece of work, then closes. Nothing stays open between calls. */
export async function withHttpServer<T>(
  server: HttpServer,
  fetch: Fetch,
  signal: AbortSignal,
  work: (session: ServerSession) => Promise<T>,
): Promise<T> {
  const session = await connect(server, fetch, signal);
  try {
    return await work(session);
  } finally {
    await session.close().catch(() => undefined);
  }
}

/** Connects and greets. The greeting changes nothing, so it is tried again; later messages are not. */
async function connect({ url, auth }: HttpServer, fetch: Fetch, signal: AbortSignal): Promise<ServerSession> {
  // Loaded at first use: most isolates never need it.
  const [{ StreamableHTTPClientTransport, UnauthorizedError }, { openServerSession }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('./session.ts'),
  ]);
  for (let attempt = 1; ; attempt++) {
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      fetch: modest(fetch, new URL(url)),
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 1_000,
        reconnectionDelayGrowFactor: 1,
      },
      ...(auth ? { authProvider: auth } : {}),
    });
    try {
      return await openServerSession(transport, { signal, timeoutMs: GREETING_MS });
    } catch (error) {
      await transport.close().catch(() => undefined);
      if (error instanceof UnauthorizedError || statusIn(error) === 401) {
        throw new SignInWanted('It wants somebody to sign in.');
      }
      const status = statusIn(error);
      const isWorthAnother = status === undefined || status === 429 || status >= 500;
      if (attempt === ATTEMPTS || signal.aborted || !isWorthAnother) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

function statusIn(error: unknown): number | undefined {
  const { status } = (error ?? {}) as { status?: unknown };
  return typeof status === 'number' ? status : undefined;
}

/** Wraps a fetch so that answers end at a limit. It keeps no stream open on which a server could send more. */
function modest(fetch: Fetch, server: URL): Fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
    if (method === 'GET' && url.href === server.href) return new Response(null, { status: 405 });
    const response = await fetch(input, init);
    if (!response.body) return response;
    let bytes = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          bytes += chunk.byteLength;
          if (bytes > MAX_ANSWER_BYTES)
            controller.error(new Error(`It sent more than ${MAX_ANSWER_BYTES} bytes.`));
          else controller.enqueue(chunk);
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(counted, { status, statusText, headers });
  };
}
