import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { bundleGateway, GATEWAY_OBJECTS, startWorkerd } from '../../bench/support/workerd.ts';
import { BodyTooSlow, inTime, keepingPace } from '../../src/http/slow-body.ts';
import { AT_LENGTH } from '../support/at-length.ts';
import { withText } from '../support/link-gateway.ts';

const EVERY_MS = 30_000;
const MIN_BYTES = 240 * 1024;

describe('a body that has to keep a pace', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  const begin = () => {
    let pieces: ReadableStreamDefaultController<Uint8Array> | undefined;
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        pieces = controller;
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    const reader = keepingPace(body);
    return {
      reader,
      isCancelled: () => isCancelled,
      end: () => pieces?.close(),
      piece: async (bytes: number) => {
        pieces?.enqueue(new Uint8Array(bytes));
        expect((await reader.read()).value).toHaveLength(bytes);
      },
    };
  };

  it('may be short, in time', async () => {
    const { reader, piece, end } = begin();
    await piece(1);
    await vi.advanceTimersByTimeAsync(EVERY_MS - 1);
    await piece(1);
    end();
    expect((await reader.read()).done).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    [0, true],
    [-1, false],
  ])('brings its share of %d bytes more than the least in each half minute', async (more, goesOn) => {
    const { reader, piece } = begin();
    for (let i = 0; i < 3; i++) {
      await piece(MIN_BYTES);
      await vi.advanceTimersByTimeAsync(EVERY_MS);
    }
    await piece(MIN_BYTES + more);
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    if (goesOn) return piece(1);
    return expect(reader.read()).rejects.toThrow(BodyTooSlow);
  });

  it('is over when nothing comes', async () => {
    const { reader } = begin();
    const read = expect(reader.read()).rejects.toThrow('less than 240 KB in 30 s');
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    await read;
  });

  it('does not come in thousands of pieces of a byte', async () => {
    const { reader, piece, isCancelled } = begin();
    for (let i = 0; i < 4_228; i++) await piece(1);
    await expect(piece(1)).rejects.toThrow('thousands of pieces');
    expect(isCancelled()).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    await reader.cancel().catch(() => undefined);
  });

  it('may come in as many pieces as have 32 bytes on average', async () => {
    const { piece } = begin();
    for (let i = 0; i < 6_000; i++) await piece(32);
  });

  it('leaves no timer when it is cancelled', async () => {
    const { reader, isCancelled } = begin();
    await reader.cancel();
    expect([isCancelled(), vi.getTimerCount()]).toEqual([true, 0]);
  });
});

describe('a short body, read at once', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('may take half a minute', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const reading = inTime(promise);
    await vi.advanceTimersByTimeAsync(EVERY_MS - 1);
    resolve('{}');
    expect([await reading, vi.getTimerCount()]).toEqual(['{}', 0]);
  });

  it('is given up after that', async () => {
    const { promise, reject } = Promise.withResolvers<string>();
    const reading = expect(inTime(promise)).rejects.toThrow(BodyTooSlow);
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    await reading;
    // Its connection closes, and nobody minds.
    reject(new Error('disconnected'));
  });

  it('fails as its connection does', async () => {
    await expect(inTime(Promise.reject(new Error('disconnected')))).rejects.toThrow('disconnected');
    expect(vi.getTimerCount()).toBe(0);
  });
});

/** Ways to begin a body and never send the rest of it, as strangers can. */
const BEGUN: readonly (readonly [path: string, head: string, first: string])[] = [
  ['/tools/hello', 'content-length: 100', '{'],
  ['/tools/hello', 'content-length: 60000', '{'],
  ['/tools/hello', 'transfer-encoding: chunked', '1\r\n{\r\n'],
  ['/tools/hello', 'content-length: 100\r\ntransfer-encoding: chunked', '1\r\n{\r\n'],
  ['/mcp', 'content-length: 100', '{'],
  ['/mcp', 'transfer-encoding: chunked', '1\r\n{\r\n'],
  ['/oauth/token', 'content-length: 100', 'g'],
  ['/oauth/register', 'transfer-encoding: chunked', '1\r\n{\r\n'],
  ['/signin', 'content-length: 100', 'k'],
  ['/api/owner/session', 'content-length: 100', '{'],
  ['/hooks/github', 'content-length: 100', '{'],
];

it('many bodies that never end are closed by the gateway, which then answers as before', async () => {
  const bundled = await bundleGateway(undefined, { minify: false });
  const bundle = withText(bundled, /\beveryMs:\s*(?:3e4|30_?000)\b/, 'everyMs:1000');
  const gateway = await startWorkerd('slow', bundle, {
    vars: { PUBLIC_URL: 'http://127.0.0.1', OWNER_KEY_HASH: '0'.repeat(64) },
    objects: { ...GATEWAY_OBJECTS, MACHINE: 'MachineObject', EVENTS: 'EventsObject', MIRROR: 'RepoMirror' },
    kv: ['OAUTH_KV'],
  });
  onTestFinished(() => gateway.stop());
  const port = Number(new URL(gateway.url).port);
  const closed = Array.from({ length: AT_LENGTH ? 600 : 60 }, (_, i) => {
    const [path, head, first] = BEGUN[i % BEGUN.length] ?? ['/', '', ''];
    return new Promise<void>((done) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${head}\r\n\r\n`,
      );
      socket.write(first);
      socket.on('error', () => undefined);
      socket.resume().on('close', () => done());
    });
  });
  await Promise.all(closed);
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
}, 120_000);
