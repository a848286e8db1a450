import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { checkHostAndOrigin } from '../../src/http/doorstep.ts';
import { post, send } from './http.ts';

const forbidden = (message: string) => ({
  code: 'forbidden_origin',
  http_status: 403,
  message,
  suggestion: 'Use the address Bowline printed, or add this one to its settings.',
});
const foreignHost = forbidden('This gateway does not answer to this host name.');
const foreignOrigin = forbidden('Pages of this origin may not call this gateway.');

async function expectRefused(response: Response, body: object) {
  expect(response.status).toBe(403);
  expect(await response.json()).toEqual(body);
  expect([...response.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
}

/** A gateway at a public address, which names one more origin in its settings. */
function publicGateway(path: string, init: RequestInit = {}, base = 'https://bowline.example') {
  const hosts = new Set(['bowline.example']);
  const origins = new Set(['https://friend.example']);
  const app = new Hono();
  app.use(checkHostAndOrigin({ hosts, origins }));
  app.all('/echo', async (c) => c.text(await c.req.text()));
  const request = new Request(base + path, init);
  return { request, response: Promise.resolve(app.fetch(request)) };
}

describe('the Host header', () => {
  it.each([
    ...['localhost', 'localhost:8787', '127.0.0.1', '127.0.0.1:80', '[::1]', '[::1]:9999', 'LOCALHOST'],
    ...['localhost:', 'localhost:0', 'localhost:65535', '[0:0:0:0:0:0:0:1]', '[0::1]:1'],
  ])('may be %s, whatever the port', async (host) => {
    expect((await send('/healthz', { headers: { host } })).status).toBe(200);
  });

  it.each([
    'evil.example',
    'localhost.evil.example',
    'localhost.',
    'localhost@evil.example',
    '127.0.0.2',
    'evil.example:80',
    'evil.example#localhost',
    'not a host',
    // A parser of addresses finds `localhost` in each of these; no client writes one into this header.
    'evil.example@localhost',
    'evil.example:80@localhost:8787',
    '@localhost',
    ':@localhost',
    'localhost/evil.example',
    'localhost#evil.example',
    'localhost?evil.example',
    'localhost\\evil.example',
    '/localhost',
    'local\thost',
    '%6cocalhost',
    'localhost:80:80',
    'localhost:x',
    'localhost:65536',
    'localhost, evil.example',
    'localhost,localhost',
    'localhost localhost',
    'localhost..',
    '[::1',
    '[::1].evil.example',
    '[::1]evil.example',
    '[::2]',
    '::1',
  ])('may not be %s', async (host) => {
    await expectRefused(await send('/healthz', { headers: { host } }), foreignHost);
    await expectRefused(await post('hello', '{}', { host }), foreignHost);
    await expectRefused(await send('/mcp', { method: 'POST', body: '{}', headers: { host } }), foreignHost);
  });

  it('may be no other name of a public gateway either', async () => {
    expect((await publicGateway('/echo').response).status).toBe(200);
    for (const base of ['https://www.bowline.example', 'https://bowline.example.', 'http://localhost']) {
      await expectRefused(await publicGateway('/echo', {}, base).response, foreignHost);
    }
  });
});

describe('the Origin header of a gateway on this computer', () => {
  it('may be missing', async () => {
    const response = await send('/healthz');
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it.each(['http://localhost', 'http://localhost:6274', 'https://127.0.0.1:3000', 'http://[::1]:1'])(
    'may be %s, a page of this computer',
    async (origin) => {
      const response = await post('hello', '{}', { origin });
      expect(response.status).toBe(200);
      expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      expect(response.headers.get('vary')).toBe('origin');
    },
  );

  it.each([
    'null',
    'https://evil.example',
    'http://localhost.evil.example',
    'http://localhost.',
    'http://user@localhost',
    'http://localhost/',
    'http://localhost:80:80',
    'http://LOCALHOST',
    'localhost',
    'file://',
    'http://127.0.0.1.nip.example',
  ])('may not be %s', async (origin) => {
    await expectRefused(await post('hello', '{}', { origin }), foreignOrigin);
    await expectRefused(await send('/mcp', { headers: { origin } }), foreignOrigin);
  });
});

describe('the Origin header of a public gateway', () => {
  const call = (origin: string, base?: string) =>
    publicGateway('/echo', { headers: { origin } }, base).response;

  it.each(['https://bowline.example', 'https://friend.example'])('may be %s', async (origin) => {
    const response = await call(origin);
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
  });

  it.each([
    'null',
    'https://bowline.example.',
    'https://user@bowline.example',
    'https://user:pass@bowline.example',
    'https://bowline.example:444',
    'https://bowline.example:443',
    'https://bowline.example/',
    'https://bowline.example?',
    'https://BOWLINE.example',
    'https://www.bowline.example',
    'https://bowline.example.evil.example',
    'https://evilbowline.example',
    'https://friend.example:444',
    'https://friend.example.',
    'http://friend.example',
    'https://localhost',
    'http://localhost:3000',
  ])('may not be %s', async (origin) => {
    await expectRefused(await call(origin), foreignOrigin);
  });

  it('may not be the same host without encryption, which anybody on the way can fake', async () => {
    await expectRefused(await call('http://bowline.example'), foreignOrigin);
  });

  it('may be the same host with encryption where something in front of the gateway takes it off', async () => {
    expect((await call('https://bowline.example', 'http://bowline.example')).status).toBe(200);
    expect((await call('http://bowline.example', 'http://bowline.example')).status).toBe(200);
  });

  it('may not have another port than the gateway, even when that has one', async () => {
    const base = 'https://bowline.example:8443';
    expect((await call('https://bowline.example:8443', base)).status).toBe(200);
    await expectRefused(await call('https://bowline.example', base), foreignOrigin);
  });

  it('is checked before the body is read', async () => {
    const init = { method: 'POST', body: 'secret' };
    const foreign = publicGateway('/echo', { ...init, headers: { origin: 'https://evil.example' } });
    await expectRefused(await foreign.response, foreignOrigin);
    expect(foreign.request.bodyUsed).toBe(false);
    const own = publicGateway('/echo', init);
    expect(await (await own.response).text()).toBe('secret');
    expect(own.request.bodyUsed).toBe(true);
  });
});

describe('a preflight', () => {
  const preflight = (origin: string) =>
    send('/mcp', {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'mcp-method',
      },
    });

  it('of a welcome page is answered with what it may send and read', async () => {
    const response = await preflight('http://localhost:6274');
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect(Object.fromEntries(response.headers)).toEqual({
      'access-control-allow-origin': 'http://localhost:6274',
      'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
      'access-control-allow-headers':
        'authorization, content-type, accept, last-event-id, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name',
      'access-control-expose-headers': 'www-authenticate, mcp-session-id, retry-after',
      'access-control-max-age': '600',
      vary: 'origin',
    });
  });

  it.each(['https://evil.example', 'null'])('of %s is refused', async (origin) => {
    await expectRefused(await preflight(origin), foreignOrigin);
  });

  it('lets no page send credentials of its own accord', async () => {
    expect((await preflight('http://localhost')).headers.has('access-control-allow-credentials')).toBe(false);
  });
});

describe('an answer to a welcome page', () => {
  it.each([
    ['not found', '/nowhere', 404],
    ['the wrong method', '/tools/hello', 405],
  ])('can be read by it even if it is an error: %s', async (_, path, status) => {
    const response = await send(path, { headers: { origin: 'http://localhost:1' } });
    expect(response.status).toBe(status);
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:1');
  });
});
