import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchPublic, type PageRequest } from '../../../src/web/fetch-public.ts';
import { BlockedUrl } from '../../../src/web/guarded-fetch.ts';
import { makeWebPorts } from '../../../src/web/web-ports.ts';
import { type WebServer, webServer } from '../../support/web-server.ts';

let site: WebServer;
beforeAll(async () => {
  site = await webServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://site');
    if (pathname === '/headers') return void response.end(JSON.stringify(request.headers));
    const status = Number(searchParams.get('to')) || 200;
    response.writeHead(status, { 'content-type': 'text/plain' }).end('body');
  });
});
afterAll(() => site.close());

const get = (path: string, how: Partial<PageRequest> = {}) => {
  const { pages } = makeWebPorts({ DEV_FETCH_ORIGINS: site.origin }, { guarded: fetch, open: fetch });
  return fetchPublic(
    { url: new URL(path, site.origin).href, maxBytes: 1_000, timeoutMs: 5_000, ...how },
    pages,
  );
};

describe('a failure', () => {
  it('says what it was, and nothing of the address but its origin', async () => {
    const gone = await webServer();
    await gone.close();
    const { pages } = makeWebPorts(
      { DEV_FETCH_ORIGINS: `${gone.origin},${site.origin.replace('http:', 'https:')}` },
      { guarded: fetch, open: fetch },
    );
    const of = (url: string) => fetchPublic({ url, maxBytes: 10, timeoutMs: 5_000 }, pages);
    expect(await of(`${gone.origin}/?key=secret`)).toEqual({
      kind: 'refused',
      code: 'fetch_failed',
      message: `${gone.origin} refuses the connection.`,
    });
    expect(await of(site.origin.replace('http:', 'https:'))).toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('TLS'),
    });
    expect(await of('nonsense')).toMatchObject({ code: 'invalid_url' });
  });

  it.each([
    ['CERT_HAS_EXPIRED', 'has no valid TLS certificate'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'has no valid TLS certificate'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'has no valid TLS certificate'],
    ['ENOTFOUND', 'does not resolve'],
    ['ECONNRESET', 'broke off'],
    ['UND_ERR_CONNECT_TIMEOUT', 'does not answer'],
  ])('by the code %s is told in words', async (code, words) => {
    const fails = async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) });
    };
    const request = { url: 'https://a.org/?q=secret', maxBytes: 1, timeoutMs: 1_000 };
    const refusal = await fetchPublic(request, { fetch: fails });
    expect(refusal).toMatchObject({ code: 'fetch_failed', message: expect.stringContaining(words) });
    expect(JSON.stringify(refusal)).not.toContain('secret');
  });

  it.each([
    ['internal error; reference = 0tidfngrlm48f8d8epe8cm9q', /cannot be reached: .*not public/],
    ['Network connection lost.', /refuses the connection, or broke it off/],
  ])('by workerd’s words "%s" is told as all that it may be', async (said, words) => {
    const fails = async () => {
      throw new Error(said);
    };
    const request = { url: 'https://a.org/?q=secret', maxBytes: 1, timeoutMs: 1_000 };
    const message = expect.stringMatching(words);
    expect(await fetchPublic(request, { fetch: fails })).toMatchObject({ code: 'fetch_failed', message });
  });

  it('by a guard below is a refusal, however deep it lies', async () => {
    const fails = async () => {
      throw new TypeError('fetch failed', {
        cause: new AggregateError([new BlockedUrl('a.org is inside.')]),
      });
    };
    expect(
      await fetchPublic({ url: 'https://a.org/', maxBytes: 1, timeoutMs: 1_000 }, { fetch: fails }),
    ).toMatchObject({
      code: 'blocked_url',
      message: 'a.org is inside.',
    });
  });
});

describe('an answer', () => {
  it('is given with its status, its type and its address without the fragment', async () => {
    expect(await get('/page?to=404#part')).toMatchObject({
      status: 404,
      contentType: 'text/plain',
      finalUrl: `${site.origin}/page?to=404`,
    });
  });

  it('was asked for without anything that says who asks', async () => {
    const fetched = await get('/headers', { accept: 'text/html' });
    const headers = JSON.parse(fetched.kind === 'fetched' ? new TextDecoder().decode(fetched.bytes) : '');
    expect(headers).toMatchObject({ accept: 'text/html', 'user-agent': expect.stringContaining('Bowline') });
    for (const name of ['cookie', 'authorization', 'referer']) expect(headers).not.toHaveProperty(name);
  });
});
