import { describe, expect, it } from 'vitest';
import { webFetch } from '../../../contracts/web-fetch.ts';
import { fetchPage } from '../../../src/tools/web.ts';
import { allowsPath, robotsBy, rulesIn } from '../../../src/web/robots.ts';
import { makeWebPorts } from '../../../src/web/web-ports.ts';
import { article } from '../../support/page-site.ts';
import { failureIn } from '../../support/tools.ts';
import { use } from '../../support/web-tools.ts';

const allows = (robots: string, path: string) => allowsPath(rulesIn(robots), path);

describe('a robots.txt', () => {
  it.each([
    ['', '/a', true],
    ['User-agent: *\nDisallow: /', '/a', false],
    ['User-agent: *\nDisallow:', '/a', true],
    ['User-agent: *\nDisallow: /private', '/private/x', false],
    ['User-agent: *\nDisallow: /private', '/public', true],
    ['User-agent: *\nDisallow: /p\nAllow: /p/q', '/p/q/r', true],
    ['User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
    ['User-agent: *\nDisallow: /*.pdf$', '/x/y.pdf', false],
    ['User-agent: *\nDisallow: /*.pdf$', '/x/y.pdf?z', true],
    ['User-agent: *\nDisallow: /a*b*c', '/a1b2c3', false],
    ['User-agent: other\nDisallow: /', '/a', true],
    ['User-agent: Bowline\nDisallow: /\n\nUser-agent: *\nAllow: /', '/a', false],
    ['User-agent: *\nDisallow: /\n\nUser-agent: bowline\nDisallow: /b', '/a', true],
    ['User-agent: other\nUser-agent: *\nDisallow: / # all', '/a', false],
    ['User-agent: *\nDisallow: /private', '/%70rivate', false],
    ['User-agent: *\nDisallow: /%7Ejoe/é', '/~joe/%c3%a9', false],
    ['User-agent: *\nDisallow: /a%2Fb', '/a/b', true],
    ['<!doctype html><p>Not found: /</p>', '/a', true],
  ])('%j says of %s: %s', (robots, path, expected) => {
    expect(allows(robots, path)).toBe(expected);
  });

  it('with a hostile pattern is matched in a moment', () => {
    const pattern = `User-agent: *\nDisallow: /${'a*'.repeat(50_000)}b`;
    expect(allows(pattern, `/${'a'.repeat(4_000)}`)).toBe(true);
  });
});

describe('a page that a model chose', () => {
  const served: Record<string, string> = {
    'https://a.org/robots.txt': 'User-agent: *\nDisallow: /private',
    'https://a.org/private': article(),
    'https://a.org/public': article(),
  };
  const asked: string[] = [];
  const guarded = (async (url: string) => {
    asked.push(url);
    const body = served[url];
    return new Response(body ?? '', { status: body ? 200 : 404, headers: { 'content-type': 'text/html' } });
  }) as unknown as typeof fetch;
  const ask = (url: string, settings = {}) =>
    use(webFetch, fetchPage, { url }, makeWebPorts(settings, { guarded, open: guarded }));

  it('is not read against the will of its site, unless the owner says so', async () => {
    asked.length = 0;
    expect(failureIn(await ask('https://a.org/private'))).toMatchObject({
      code: 'robots_disallow',
      http_status: 403,
    });
    expect(asked).toEqual(['https://a.org/robots.txt']);
    expect((await ask('https://a.org/public')).kind).toBe('ok');
    expect((await ask('https://a.org/private', { FETCH_ROBOTS: 'ignore' })).kind).toBe('ok');
  });

  it('is not read through a page that leads to it', async () => {
    served['https://c.org/'] = '<meta http-equiv="refresh" content="0; url=https://a.org/private">';
    expect(failureIn(await ask('https://c.org/'))).toMatchObject({ code: 'robots_disallow' });
  });

  it('is asked for again after a call that was cancelled, and soon after a failure', async () => {
    let time = 0;
    let fails = true;
    const silent = (async (url: string) => {
      if (fails) throw new Error('ECONNREFUSED');
      return guarded(url);
    }) as unknown as typeof fetch;
    const robots = robotsBy(undefined, { fetch: silent }, () => time);
    const { signal } = new AbortController();
    await robots('https://a.org/private', AbortSignal.abort());
    fails = false;
    expect(await robots('https://a.org/private', signal)).toBe(false);
    time += 3_600_001;
    fails = true;
    expect(await robots('https://a.org/private', signal)).toBe(true);
    time += 60_001;
    fails = false;
    expect(await robots('https://a.org/private', signal)).toBe(false);
  });

  it('costs its site one question an hour', async () => {
    let time = 0;
    const robots = robotsBy(undefined, { fetch: guarded }, () => time);
    const { signal } = new AbortController();
    asked.length = 0;
    for (let i = 0; i < 3; i++) expect(await robots('https://a.org/private', signal)).toBe(false);
    expect(asked).toHaveLength(1);
    time += 3_600_001;
    await robots('https://a.org/public', signal);
    expect(asked).toHaveLength(2);
  });

  it('is read where the site says nothing, and nobody is asked for an address inside', async () => {
    const robots = robotsBy(undefined, { fetch: guarded });
    const { signal } = new AbortController();
    expect(await robots('https://b.org/private', signal)).toBe(true);
    asked.length = 0;
    expect(await robots('http://127.0.0.1/private', signal)).toBe(true);
    expect(asked).toEqual([]);
  });
});
