import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Longer than a browser takes to start. */
const WAIT_MS = 60_000;

/**
 * Opens a secret address in the browser. Every user of a computer can see the arguments of a program, so the browser
 * is given another address: it leads on to the secret one, once, and on Linux only for this user's own programs.
 */
export async function handOver(secret: string, open: (address: string) => void): Promise<void> {
  const path = `/${randomBytes(16).toString('hex')}`;
  const server = createServer((request, response) => {
    const isAsked = request.url === path && request.method === 'GET' && isOwnProgram(request.socket);
    // A page elsewhere cannot know the path.
    if (!isAsked) return void response.writeHead(404).end();
    response
      .writeHead(302, { location: secret, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      .end();
    end();
  });
  const end = () => {
    clearTimeout(timer);
    server.close();
  };
  const timer = setTimeout(end, WAIT_MS).unref();
  await new Promise<void>((done, failed) => {
    server.once('error', failed).listen(0, '127.0.0.1', done);
  });
  server.unref();
  open(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
}

/** Tells whether the other end of a connection is a program of this user. Only Linux says so; elsewhere it counts as one. */
function isOwnProgram({ remotePort, localPort }: Socket): boolean {
  const table = connections();
  if (table === undefined || process.getuid === undefined) return true;
  const [from, to] = [hexPort(remotePort), hexPort(localPort)];
  const fields = table.map((line) => line.trim().split(/\s+/));
  const peer = fields.find(([, own, other]) => own?.endsWith(`:${from}`) && other?.endsWith(`:${to}`));
  return peer?.[7] === String(process.getuid());
}

/** Gives the lines of the system's table of connections. */
function connections(): readonly string[] | undefined {
  try {
    // A browser may come over IPv6 with an IPv4 address in it.
    return ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').split('\n'));
  } catch {
    return undefined;
  }
}

const hexPort = (port = 0) => port.toString(16).toUpperCase().padStart(4, '0');
