import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { closeConnections, fire, send } from '../../bench/support/load.ts';

const SHOT = { path: '/', headers: {}, body: 'hello' };

/** A server that resets each kept connection at its second request, or at once. */
async function resetting(atOnce = false) {
  const answered: string[] = [];
  const used = new WeakSet<object>();
  const server = createServer(async (request, response) => {
    const { socket } = request;
    let body = '';
    for await (const chunk of request) body += chunk;
    if (atOnce || used.has(socket)) return void socket.resetAndDestroy();
    used.add(socket);
    answered.push(body);
    response.end('hi');
  });
  onTestFinished(async () => {
    closeConnections();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answered };
}

it('a bench goes on when connections that it kept open are reset', async () => {
  const { url, answered } = await resetting();
  const { requests } = await fire(url, SHOT, 40, 8);
  expect(requests).toBe(40);
  expect(answered).toEqual(Array(40).fill('hello'));
});

it('a bench says so when every connection is reset', async () => {
  const { url } = await resetting(true);
  await expect(send(url, SHOT)).rejects.toThrow('ECONNRESET');
});
