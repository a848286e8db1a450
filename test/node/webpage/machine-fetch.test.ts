import { once } from 'node:events';
import { createServer, type LookupFunction, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeMachineFetch } from '../../../local-bridge/tools/web/machine-fetch.ts';
import { objectionToIp } from '../../../src/web/address.ts';
import { fetchPublic } from '../../../src/web/fetch-public.ts';

/** Counts connections and answers each like a server inside somebody's network. */
let connections = 0;
const sink = createServer((socket) => {
  connections += 1;
  socket.on('error', () => undefined);
  socket.once('data', () =>
    socket.end('HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nok'),
  );
});

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

let port = 0;
beforeAll(async () => {
  port = await listening(sink);
});
afterAll(() => new Promise((done) => sink.close(done)));

/** A resolver that says what it is told to, each time the next; and how often it was asked. */
function resolver(...answers: string[][]) {
  const asked: string[] = [];
  const lookup: LookupFunction = (hostname, _options, callback) => {
    const addresses = answers[Math.min(asked.push(hostname), answers.length) - 1] ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { lookup, asked };
}

const said = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message} ${said(error.cause)}` : '';

describe('the fetch of a machine', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '0.0.0.0',
    '::1',
    '::',
    'fe80::1%eth0',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ])('connects to no name that leads to %s', async (address) => {
    const before = connections;
    const fetch = makeMachineFetch({ lookup: resolver([address]).lookup });
    const error = await fetch(`http://public.org:${port}/`).catch((thrown: unknown) => thrown);
    expect(said(error)).toContain('BlockedUrl: public.org is not fetched: it resolves to an address inside');
    expect(connections).toBe(before);
  });

  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])(
    'connects to no address inside that stands in the URL itself: %s',
    async (host) => {
      const before = connections;
      const { lookup, asked } = resolver(['93.184.215.14']);
      const error = await makeMachineFetch({ lookup })(`http://${host}:${port}/`).catch(
        (thrown: unknown) => thrown,
      );
      expect(said(error)).toContain('BlockedUrl');
      expect(connections).toBe(before);
      expect(asked).toEqual([]);
    },
  );

  it('refuses a name with one address inside among others outside', async () => {
    const before = connections;
    const fetch = makeMachineFetch({ lookup: resolver(['93.184.215.14', '127.0.0.1']).lookup });
    const error = await fetch(`http://public.org:${port}/`).catch((thrown: unknown) => thrown);
    expect(said(error)).toContain('BlockedUrl');
    expect(connections).toBe(before);
  });

  it('asks again for each request, so that a name that turns inward is caught', async () => {
    const before = connections;
    const { lookup, asked } = resolver(['127.0.0.1'], ['127.0.0.2']);
    // Loopback stands in for the public web, and its other address for the inside.
    const objectionTo = (ip: string) => (ip === '127.0.0.1' ? undefined : objectionToIp(ip));
    const fetch = makeMachineFetch({ lookup, objectionTo });
    expect(await (await fetch(`http://public.org:${port}/`)).text()).toBe('ok');
    const error = await fetch(`http://public.org:${port}/`).catch((thrown: unknown) => thrown);
    expect(said(error)).toContain('127.0.0.2 is in 127.0.0.0/8');
    expect(asked).toEqual(['public.org', 'public.org']);
    expect(connections).toBe(before + 1);
  });

  it('uses no connection twice', async () => {
    let opened = 0;
    const server = createServer((socket) => {
      opened += 1;
      socket.on('error', () => undefined);
      // It would go on with the same connection.
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
    });
    const at = await listening(server);
    const fetch = makeMachineFetch({ lookup: resolver(['127.0.0.1']).lookup, objectionTo: () => undefined });
    for (let i = 0; i < 3; i++) await (await fetch(`http://public.org:${at}/`)).text();
    expect(opened).toBe(3);
    server.close();
  });

  it('goes through no proxy', async () => {
    const before = connections;
    const { lookup, asked } = resolver(['127.0.0.1']);
    const names = [
      'HTTP_PROXY',
      'http_proxy',
      'HTTPS_PROXY',
      'https_proxy',
      'ALL_PROXY',
      'NODE_USE_ENV_PROXY',
    ];
    const kept = names.map((name) => [name, process.env[name]] as const);
    for (const name of names)
      process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${port}`;
    const error = await makeMachineFetch({ lookup })('http://public.org/').catch((thrown: unknown) => thrown);
    for (const [name, value] of kept) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    expect(said(error)).toContain('BlockedUrl');
    expect(asked).toEqual(['public.org']);
    expect(connections).toBe(before);
  });

  it('follows nothing by itself', async () => {
    const { lookup } = resolver(['127.0.0.1']);
    const server = createServer((socket) => {
      socket.once('data', () =>
        socket.end('HTTP/1.1 302 Found\r\nlocation: http://10.0.0.1/\r\ncontent-length: 0\r\n\r\n'),
      );
    });
    const at = await listening(server);
    const fetch = makeMachineFetch({ lookup, objectionTo: () => undefined });
    const response = await fetch(`http://public.org:${at}/`, { redirect: 'follow' });
    expect([response.status, response.headers.get('location')]).toEqual([302, 'http://10.0.0.1/']);
    server.close();
  });

  it('says what it refused in words that the reader of pages understands', async () => {
    const fetch = makeMachineFetch({ lookup: resolver(['127.0.0.1']).lookup });
    const page = { url: 'https://public.org/', timeoutMs: 5_000, maxBytes: 100 };
    expect(await fetchPublic(page, { fetch })).toMatchObject({ kind: 'refused', code: 'blocked_url' });
    const nothing = makeMachineFetch({ lookup: resolver([]).lookup });
    expect(await fetchPublic(page, { fetch: nothing })).toMatchObject({
      kind: 'refused',
      code: 'fetch_failed',
      message: 'https://public.org is a host name that does not resolve.',
    });
  });
});
