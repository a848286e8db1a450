import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cpuTicks, programsUnder } from '../support/cpu.ts';
import { startUp, type Up } from '../support/up.ts';

let home: string;
let running: Up;
let runtime: number;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'bowline-long-texts-'));
  running = await startUp({ home, opensNothing: true });
  const [found, ...more] = programsUnder(running.child.pid, 'workerd');
  if (found === undefined || more.length > 0) throw new Error('Expected one workerd.');
  runtime = found;
});
afterAll(async () => {
  await running?.stop();
  rmSync(home, { recursive: true, force: true });
});

const LENGTH = 640 * 1024;
const filled = (piece: string) => piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH);
/** Each piece could be the beginning of a JSON Web Token that goes on through all pieces after it. */
const SLOW = filled('eyJaaaaaaaa-');
const HARMLESS = filled('a word of prose. ');

const call = (tool: string, args: object, token = '') =>
  fetch(`${running.ready.rest}/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(args),
  });

async function statusOf(asked: Promise<Response>): Promise<number> {
  const response = await asked;
  await response.body?.cancel();
  return response.status;
}

describe('640 KB that could keep a pattern busy', () => {
  it('are refused from a stranger, and the next request is answered', async () => {
    const [refused, next] = await Promise.all([
      statusOf(call('hello', { name: SLOW })),
      statusOf(call('hello', { name: 'Ada' })),
    ]);
    expect([refused, next]).toEqual([413, 200]);
  });

  it('are answered for whoever has a token, at a cost like that of any text as long', async () => {
    const { token } = running.ready;
    const cost = async (text: string) => {
      const before = cpuTicks(runtime);
      // One text that fits no schema, and one that the tool takes.
      const answers = await Promise.all([
        statusOf(call('hello', { name: text }, token)),
        statusOf(call('transcript_clean', { text }, token)),
        statusOf(call('hello', { name: 'Ada' }, token)),
      ]);
      expect(answers).toEqual([400, 200, 200]);
      return cpuTicks(runtime) - before;
    };
    let [slow, harmless] = [0, 0];
    await cost(HARMLESS);
    for (let turn = 0; turn < 4; turn += 1) {
      harmless += await cost(HARMLESS);
      slow += await cost(SLOW);
      expect(slow).toBeLessThan(10 * Math.max(harmless, 10));
    }
  });
});

/** Sends a body as chunks of one byte, and gives the first line of the answer. */
function byteByByte(path: string, bytes: number, headers = ''): Promise<string> {
  const { hostname, port, host } = new URL(running.ready.rest);
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
  const token = `authorization: Bearer ${running.ready.token}\r\n`;
  // The rest is not read: the connection ends, with or without an answer.
  expect(await byteByByte('/tools/list_dir', 1_000_000, token)).toMatch(/^(?:HTTP\/1\.1 408 .*)?$/);
  expect((await fetch(new URL('/healthz', running.ready.rest))).status).toBe(200);
});
