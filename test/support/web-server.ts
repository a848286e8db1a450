import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface WebServer {
  readonly origin: string;
  readonly port: number;
  /** Connections made to it so far, whatever came over them. */
  connections(): number;
  /** What was asked, as `GET /path`, oldest first. */
  readonly asked: string[];
  close(): Promise<void>;
}

export type Answerer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on loopback that answers as it is told to; without an answer it only counts who comes. */
export async function webServer(answer: Answerer = (_, response) => response.end()): Promise<WebServer> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.on('error', () => response.destroy());
    answer(request, response);
  });
  // A busy machine pauses for longer than the usual five seconds. Node's `fetch` takes a connection that its server
  // closes in a pause for broken, although all of the answer has arrived.
  server.keepAliveTimeout = 0;
  server.on('connection', (socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    connections: () => connections,
    asked,
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

/** All of a request's body as text. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}
