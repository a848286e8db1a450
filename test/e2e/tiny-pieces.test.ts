import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startUp, type Up } from '../support/up.ts';

const base = mkdtempSync(join(tmpdir(), 'bowline-pieces-'));
let up: Up;
beforeAll(async () => {
  up = await startUp({
    home: join(base, 'home'),
    opensNothing: true,
    args: ['--state', join(base, 'state')],
  });
});
afterAll(async () => {
  await up.stop();
  rmSync(base, { recursive: true, force: true });
});

/** Sends a body as chunks of one byte, and gives the first line of the answer. */
function byteByByte(path: string, bytes: number, headers = ''): Promise<string> {
  const { hostname, port, host } = new URL(up.ready.rest);
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
    if (answer.includes('\r\n')) resolve(answer.split('\r\n', 1)[0] ?? '');
  });
  // The gateway ends a connection whose rest it does not read.
  socket.on('error', () => resolve(answer)).on('close', () => resolve(answer));
  const type = 'content-type: application/json\r\ntransfer-encoding: chunked\r\n';
  socket.write(`POST ${path} HTTP/1.1\r\nhost: ${host}\r\n${type}${headers}\r\n`);
  socket.write(Buffer.from('1\r\na\r\n'.repeat(bytes)));
  return promise.finally(() => socket.destroy());
}

it('a body that comes byte by byte is given up, and the gateway goes on', async () => {
  expect(await byteByByte('/tools/hello', 60_000)).toContain('408');
  const token = `authorization: Bearer ${up.ready.token}\r\n`;
  // The rest is not read: the connection ends, with or without an answer.
  expect(await byteByByte('/tools/list_dir', 1_000_000, token)).toMatch(/^(?:HTTP\/1\.1 408 .*)?$/);
  expect((await fetch(new URL('/healthz', up.ready.rest))).status).toBe(200);
});
