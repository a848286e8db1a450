import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webFetch } from '../../../contracts/web-fetch.ts';
import { fetchPage, MAX_PAGE_BYTES, MAX_PDF_BYTES } from '../../../src/tools/web.ts';
import { article, html, type PageSite, pageSite, type Served, sentence } from '../../support/page-site.ts';
import { pdfOf } from '../../support/pdf.ts';
import { failureIn } from '../../support/tools.ts';
import { use } from '../../support/web-tools.ts';

let site: PageSite;
beforeAll(async () => {
  site = await pageSite();
});
afterAll(() => site.close());
const failure: PageSite['failure'] = (served) => site.failure(served);

describe('what holds no text', () => {
  it.each<[string, Served, string]>([
    ['a PDF of pictures', { body: pdfOf(['', '']) }, 'pictures of its pages'],
    ['a damaged PDF', { body: '%PDF-1.4 nonsense' }, 'damaged'],
    ['an image', { type: 'image/png', body: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') }, 'a PNG image'],
    ['an image that claims to be a page', html(Buffer.from('\xff\xd8\xff\xe0', 'latin1')), 'a JPEG image'],
    ['an archive', { body: gzipSync('x') }, 'a gzip archive'],
    [
      'bytes of an unknown kind',
      { type: 'application/x-odd', body: Buffer.from([1, 0, 2]) },
      '"application/x-odd"',
    ],
    ['bytes without a type', { body: Buffer.from([1, 0, 2]) }, 'not text'],
    ['nothing', html(''), 'empty'],
    ['blanks', { type: 'text/plain', body: ' \n\t\u200b' }, 'empty'],
    ['an empty page', html('<!doctype html><html><body></body></html>'), 'empty'],
    [
      'a page that scripts build',
      html('<html><body><div id="root"></div><script src="/app.js"></script></body></html>'),
      'scripts build it',
    ],
    ['frames', html('<html><frameset><frame src="/inner.html"></frameset></html>'), 'frames'],
    [
      'a page that only asks for consent',
      html(
        '<html><body><h1>We value your privacy</h1><p>We and our 90 partners value your privacy.</p></body></html>',
      ),
      'consent',
    ],
    [
      'an error that is sent as a page',
      html('<html><head><title>404 Not Found</title></head><body><p>Nothing is here.</p></body></html>'),
      'not there',
    ],
    [
      'a wall in words alone',
      html('<html><body><p>You must be logged in to read this.</p></body></html>'),
      'sign-in',
    ],
    [
      'a sign-in form',
      html('<html><body><h1>Sign in</h1><form><input name="u"><input type="password"></form></body></html>'),
      'sign-in',
    ],
  ])('is said to be what it is: %s', async (_, served, words) => {
    expect(await failure(served)).toMatchObject({
      code: 'parse_failed',
      http_status: 422,
      message: expect.stringContaining(words),
      suggestion: expect.stringMatching(/\S/),
    });
  });

  it('names the frame that has it', async () => {
    const served = html('<html><frameset><frame src="/inner.html"></frameset></html>');
    expect((await failure(served)).suggestion).toContain(`${site.origin}/inner.html`);
  });

  it('is a sign-in if that is where the address led', async () => {
    site.serve({
      '/private': { status: 302, headers: { location: '/login?next=/private' } },
      '/login?next=/private': html('<html><body><p>Welcome. Please continue.</p></body></html>'),
    });
    const result = await use(webFetch, fetchPage, { url: `${site.origin}/private` }, site.ports);
    expect(failureIn(result)).toMatchObject({
      code: 'parse_failed',
      message: expect.stringContaining('login wall'),
    });
  });
});

describe('an error of the server', () => {
  it.each([
    [400, 'refused the request (HTTP 400)'],
    [401, 'wants a sign-in'],
    [403, 'refused the request (HTTP 403)'],
    [404, 'no such page'],
    [410, 'no such page'],
    [429, 'too often'],
    [500, 'failed (HTTP 500)'],
    [503, 'failed (HTTP 503)'],
    [204, 'nothing (HTTP 204)'],
  ])('is told: %i', async (status, words) => {
    expect(
      await failure({ status, type: 'text/html', ...(status === 204 ? {} : { body: article() }) }),
    ).toMatchObject({
      code: 'fetch_failed',
      http_status: 502,
      message: expect.stringContaining(words),
    });
  });

  it('says when to come back if the server does', async () => {
    expect((await failure({ status: 429, headers: { 'retry-after': '30' } })).suggestion).toContain(
      '30 seconds',
    );
  });

  it.each<[string, Served]>([
    ['by its header', { status: 403, headers: { 'cf-mitigated': 'challenge' }, body: 'x' }],
    [
      'by its page',
      html('<title>Just a moment...</title><script>window._cf_chl_opt={}</script>', { status: 503 }),
    ],
    [
      'with a status of success',
      html('<title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/x.js"></script>'),
    ],
    ['as AWS does it', { status: 202, headers: { 'x-amzn-waf-action': 'challenge' } }],
  ])('is a check for robots, said as such: %s', async (_, served) => {
    expect(await failure(served)).toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('robots'),
    });
  });

  it('is not seen in an article about such checks', async () => {
    const body = article(sentence.repeat(40), '<script>/* _cf_chl_opt */</script>');
    expect((await site.text(html(body))).clean_text).toContain('bowline');
  });
});

describe('a limit', () => {
  it.each([
    [MAX_PAGE_BYTES, undefined],
    [MAX_PAGE_BYTES + 1, true],
  ])('of five megabytes: %i', async (bytes, truncated) => {
    const result = await site.text({ type: 'text/plain', body: 'x'.repeat(bytes) });
    expect(result.truncated).toBe(truncated);
    expect(result.total).toBe(MAX_PAGE_BYTES);
  });

  it('of its own holds for a PDF, which cannot be read in part', async () => {
    const body = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(MAX_PDF_BYTES)]);
    expect(await failure({ type: 'application/pdf', body })).toMatchObject({
      code: 'too_large',
      http_status: 413,
    });
  });

  it('holds for what is packed', async () => {
    const page = Buffer.from(article());
    const body = gzipSync(Buffer.concat([page, Buffer.alloc(100_000_000, 32)]), { level: 1 });
    expect(await site.text(html(body, { headers: { 'content-encoding': 'gzip' } }))).toMatchObject({
      truncated: true,
    });
  });

  it.each([
    ['http://127.0.0.1:1/', 'blocked_url', 403],
    ['http://metadata.google.internal/', 'blocked_url', 403],
    ['ftp://a.org/', 'invalid_url', 400],
    ['not a url', 'invalid_url', 400],
  ])('of addresses: %s', async (url, code, http_status) => {
    expect(failureIn(await use(webFetch, fetchPage, { url }, site.ports))).toMatchObject({
      code,
      http_status,
    });
  });
});
