import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeMachineFetch } from '../../../local-bridge/tools/web/machine-fetch.ts';
import { type FetchPorts, fetchPublic, type PageRequest } from '../../../src/web/fetch-public.ts';
import { makeWebPorts } from '../../../src/web/web-ports.ts';
import { type WebServer, webServer } from '../../support/web-server.ts';

const LIMIT = 1_000;
const bomb = gzipSync(Buffer.alloc(100_000_000), { level: 9 });
let sink: WebServer;
let site: WebServer;
let web: FetchPorts;

beforeAll(async () => {
  sink = await webServer();
  site = await webServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://site');
    const to = searchParams.get('to');
    switch (pathname) {
      case '/to':
        return void response
          .writeHead(302, { location: Buffer.from(to ?? '').toString('latin1') })
          .end('moved');
      case '/hops': {
        const left = Number(to);
        return void (left > 0 ? response.writeHead(307, { location: `/hops?to=${left - 1}` }) : response).end(
          'there',
        );
      }
      case '/bytes':
        return void response.end('x'.repeat(Number(to)));
      case '/pieces':
        response.write('x'.repeat(Number(to)));
        return void response.end('y');
      case '/bomb':
        return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
      case '/torn':
        return void response.writeHead(200, { 'content-encoding': 'gzip' }).end('this was never packed');
      case '/endless': {
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536))) {}
        };
        response.on('drain', more);
        return more();
      }
      case '/drip':
        return void response.write('a');
      case '/silent':
        return undefined;
      case '/cut':
        response.writeHead(200, { 'content-length': '500' }).write('half');
        return void setImmediate(() => response.destroy());
      default:
        return void response.end('body');
    }
  });
  ({ pages: web } = makeWebPorts({ DEV_FETCH_ORIGINS: site.origin }, { guarded: fetch, open: fetch }));
});
afterAll(() => Promise.all([sink.close(), site.close()]));

const get = (path: string, how: Partial<PageRequest> = {}) =>
  fetchPublic({ url: new URL(path, site.origin).href, maxBytes: LIMIT, timeoutMs: 5_000, ...how }, web);

describe('an address inside', () => {
  const spellings = () =>
    [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '127.0.0.1.',
      'localhost',
      'LOCALHOST.',
      '0.0.0.0',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '１２７.0.0.1',
      '127。0。0。1',
    ].map((host) => `http://${host}:${sink.port}/`);

  it('is never connected to, however it is spelt, with this port or its default', async () => {
    for (const url of spellings()) {
      for (const spelt of [url, url.replace(`:${sink.port}`, '')]) {
        const refusal = await fetchPublic({ url: spelt, maxBytes: LIMIT, timeoutMs: 5_000 }, { fetch });
        expect(refusal, spelt).toMatchObject({ kind: 'refused', code: 'blocked_url' });
      }
    }
    expect(sink.connections()).toBe(0);
  });

  it('is never connected to by a redirect', async () => {
    for (const url of spellings()) {
      const refusal = await get(`/to?to=${encodeURIComponent(url)}`);
      // A header holds bytes, so what is not ASCII arrives as an address of nothing.
      const code = /^[ -~]*$/.test(url) ? 'blocked_url' : 'fetch_failed';
      expect(refusal, url).toMatchObject({ kind: 'refused', code });
    }
    expect(sink.connections()).toBe(0);
  });

  it.each([
    'file:///etc/passwd',
    'data:text/plain,x',
    'javascript:alert(1)',
    'http://u:p@a.org/',
    'ftp://a.org/',
  ])('is not the only thing refused in a redirect: %s', async (url) => {
    expect(await get(`/to?to=${encodeURIComponent(url)}`)).toMatchObject({ code: 'blocked_url' });
  });

  it('is never connected to by a name that leads there', async () => {
    const rule = () => undefined;
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      const family = address.includes(':') ? 6 : 4;
      const guarded = makeMachineFetch({ lookup: (_, __, found) => found(null, [{ address, family }]) });
      const url = `http://looks.public.org:${sink.port}/`;
      expect(
        await fetchPublic({ url, maxBytes: LIMIT, timeoutMs: 5_000 }, { fetch: guarded, rule }),
      ).toMatchObject({
        code: 'blocked_url',
      });
    }
    expect(sink.connections()).toBe(0);
  });

  it('is opened for development by its whole origin alone', async () => {
    expect(await get('/')).toMatchObject({ kind: 'fetched', status: 200 });
    const { pages } = makeWebPorts(
      { DEV_FETCH_ORIGINS: ' , nonsense, file:///x' },
      { guarded: fetch, open: fetch },
    );
    for (const [ports, url] of [
      [pages, site.origin],
      [web, site.origin.replace('127.0.0.1', 'localhost')],
      [web, site.origin.replace('http://', 'http://user:pass@')],
      [web, sink.origin],
    ] as const) {
      expect(await fetchPublic({ url, maxBytes: LIMIT, timeoutMs: 5_000 }, ports)).toMatchObject({
        code: 'blocked_url',
      });
    }
    expect(sink.connections()).toBe(0);
  });
});

describe('a redirect', () => {
  it('is followed five times, and a sixth is said to be too many', async () => {
    expect(await get('/hops?to=5')).toMatchObject({ finalUrl: `${site.origin}/hops?to=0` });
    expect(await get('/hops?to=6')).toMatchObject({
      code: 'fetch_failed',
      message: `${site.origin} redirects more than 5 times.`,
    });
  });

  it('to nothing that is an address is said to be one', async () => {
    expect(await get('/to?to=http%3A%2F%2F%5B')).toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('not an address'),
    });
  });

  it('is not followed out of encryption', async () => {
    const answers = async () => new Response(null, { status: 301, headers: { location: 'http://a.org/' } });
    const refusal = await fetchPublic(
      { url: 'https://a.org/', maxBytes: 1, timeoutMs: 1_000 },
      { fetch: answers },
    );
    expect(refusal).toMatchObject({
      code: 'blocked_url',
      message: expect.stringContaining('from https to http'),
    });
  });
});

describe('a body', () => {
  it.each([LIMIT - 1, LIMIT])('of %i bytes is taken', async (bytes) => {
    const fetched = await get(`/bytes?to=${bytes}`);
    expect(fetched).toMatchObject({ kind: 'fetched', truncated: false });
    expect(fetched.kind === 'fetched' && fetched.bytes.byteLength).toBe(bytes);
  });

  it.each(['/bytes?to=1001', '/pieces?to=1000', '/bomb', '/endless'])(
    'of more is refused: %s',
    async (path) => {
      expect(await get(path)).toMatchObject({ kind: 'refused', code: 'too_large' });
    },
  );

  it.each(['/bytes?to=1001', '/pieces?to=1000', '/bomb', '/endless'])(
    'of more is cut if asked: %s',
    async (path) => {
      const fetched = await get(path, { overflow: 'cut' });
      expect(fetched).toMatchObject({ kind: 'fetched', truncated: true });
      expect(fetched.kind === 'fetched' && fetched.bytes.byteLength).toBe(LIMIT);
    },
  );

  it('costs no more memory than its limit, however well it was packed', async () => {
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 5; i++) await get('/bomb');
    expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000);
  });

  it.each([
    ['/torn', 'compression'],
    ['/cut', 'broke off'],
  ])('that breaks is said to: %s', async (path, words) => {
    expect(await get(path)).toMatchObject({ code: 'fetch_failed', message: expect.stringContaining(words) });
  });
});

describe('time', () => {
  it.each(['/drip', '/silent'])('is up for a server that keeps one waiting: %s', async (path) => {
    expect(await get(path, { timeoutMs: 150 })).toMatchObject({ code: 'timeout' });
  });

  it('is up even for a fetch that heeds nothing', async () => {
    const never = () => new Promise<Response>(() => {});
    const request = { url: 'https://a.org/', maxBytes: 1, timeoutMs: 50 };
    expect(await fetchPublic(request, { fetch: never })).toMatchObject({ code: 'timeout' });
  });

  it('is up when the caller leaves', async () => {
    const stop = new AbortController();
    const getting = get('/silent', { signal: stop.signal });
    stop.abort(new Error('gone'));
    expect(await getting).toMatchObject({ code: 'fetch_failed' });
    expect(await get('/', { signal: stop.signal })).toMatchObject({ code: 'fetch_failed' });
  });
});
