import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { CliError } from './exit.ts';

/** The time that the person at the browser has. */
const WAIT_MS = 10 * 60_000;

export interface Callback {
  readonly redirectUrl: string;
  /** Waits for the code that the browser brings back with the right state. */
  code(state: string): Promise<{ code: string; iss: string | undefined }>;
  close(): void;
}

/** Listens on the loopback for the browser's return, as RFC 8252 advises for native programs. */
export async function listenForCallback(): Promise<Callback> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');
  return {
    redirectUrl: `http://127.0.0.1:${address.port}/callback`,
    code: (state) => nextCode(server, state),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function nextCode(server: Server, state: string): Promise<{ code: string; iss: string | undefined }> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new CliError('Nobody signed in within ten minutes.', 'Run `bowline login` again.')),
      WAIT_MS,
    );
    server.on('request', (request, response) => {
      // Cut by hand: a stranger's target may be one that a parser of addresses throws at, which would end the program.
      const { path, said } = partsOf(request.url ?? '');
      // Anything else comes from the browser itself (an icon) or from a stranger who guesses.
      if (path !== '/callback' || said.get('state') !== state) return say(response, 404, 'Not here.');
      clearTimeout(timer);
      const code = said.get('code');
      if (code) {
        say(response, 200, 'You are signed in. You can close this tab and go back to the terminal.');
        return resolve({ code, iss: said.get('iss') ?? undefined });
      }
      say(response, 200, 'Nothing was granted. You can close this tab.');
      const why =
        said.get('error') === 'access_denied'
          ? 'It was denied in the browser.'
          : 'The gateway granted nothing.';
      reject(new CliError(why, 'Run `bowline login` again if that was not meant.'));
    });
  });
}

function partsOf(target: string): { readonly path: string; readonly said: URLSearchParams } {
  const [path = '', ...rest] = target.split('?');
  return { path, said: new URLSearchParams(rest.join('?')) };
}

function say(response: ServerResponse, status: number, sentence: string): void {
  response
    .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    .end(`${sentence}\n`);
}
