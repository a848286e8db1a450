import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dial } from '../../../local-bridge/agent/link/dial.ts';
import { uncompressedTo } from '../../../local-bridge/agent/link/uncompressed.ts';

describe('the bridge of a gateway on the same computer', () => {
  it('does not offer to take compressed messages, and offers all else of a WebSocket', async () => {
    const server = createServer();
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const asked = once(server, 'upgrade');
    const { port } = server.address() as AddressInfo;
    const greeting = { machine: 'm', origin: 'http://127.0.0.1' } as unknown as Parameters<typeof dial>[1];
    const down = Promise.withResolvers<string>();
    const hangUp = dial(`ws://127.0.0.1:${port}/link?machine=m`, greeting, {
      up: () => undefined,
      message: () => true,
      down: down.resolve,
    });
    const [{ url, headers }, socket] = (await asked) as [IncomingMessage, { destroy(): void }];
    expect(url).toBe('/link?machine=m');
    expect(headers).toMatchObject({
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': expect.any(String),
    });
    expect(headers).not.toHaveProperty('sec-websocket-extensions');
    socket.destroy();
    await down.promise;
    hangUp();
  });

  it('is known by its address; other gateways may compress', () => {
    for (const url of ['ws://localhost:8787/link', 'ws://127.0.0.1/link', 'ws://[::1]:1/link'])
      expect(uncompressedTo(url)).toBeDefined();
    for (const url of ['wss://bowline.example/link', 'ws://localhost.example/link', 'ws://10.0.0.1/link'])
      expect(uncompressedTo(url)).toBeUndefined();
  });
});
