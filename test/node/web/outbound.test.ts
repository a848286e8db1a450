import { describe, expect, it } from 'vitest';
import { BlockedUrl, type Fetch, guardFetch } from '../../../src/web/guarded-fetch.ts';
import { outwardFetch, serviceFetch } from '../../../src/web/outbound.ts';

/** A way out that writes down what goes there, as its address and how redirects are taken. */
function way(answer = () => new Response('ok')) {
  const taken: string[] = [];
  const fetch: Fetch = async (input, init) => {
    const { url, redirect } = new Request(input, init);
    taken.push(`${url} ${redirect}`);
    return answer();
  };
  return { taken, fetch };
}

describe('the way to pages, where the platform does not look at what a name leads to', () => {
  it.each(['', undefined, 'no', 'YES', 'true'])('has no names (setting: %s)', async (setting) => {
    const { taken, fetch } = way();
    const guarded = guardFetch(outwardFetch({ ...(setting ? { FETCHES_STAY_PUBLIC: setting } : {}) }, fetch));
    for (const url of ['https://a.org/?key=secret', 'http://a.org', 'https://1.2.3.4.a.org']) {
      const error = await guarded(new Request(url)).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(BlockedUrl);
      expect(String(error)).toMatch(/is not fetched: this gateway cannot see .* `npm start`/);
      expect(String(error)).not.toContain('secret');
    }
    expect(taken).toEqual([]);
  });

  it('has addresses in digits, judged as they stand, and no name behind a redirect', async () => {
    const away = new Response(null, { status: 302, headers: { location: 'http://a.org/' } });
    const { taken, fetch } = way(() => away);
    const guarded = guardFetch(outwardFetch({}, fetch));
    await expect(guarded('http://1.1.1.1/')).rejects.toThrow('a.org is not fetched');
    await expect(guarded('http://127.0.0.1/')).rejects.toThrow('loopback');
    expect(taken).toEqual(['http://1.1.1.1/ manual']);
  });

  it('tells in words what workerd does not say', async () => {
    const fails: Fetch = async () => {
      throw new Error('internal error; reference = 0tidfngrlm48f8d8epe8cm9q');
    };
    const outward = outwardFetch({ FETCHES_STAY_PUBLIC: 'yes' }, fails);
    await expect(outward('https://a.org/?q=secret')).rejects.toThrow(
      /^https:\/\/a.org cannot be reached: .*not public/,
    );
  });

  it('has names once the platform is said to look', async () => {
    const { taken, fetch } = way();
    await outwardFetch({ FETCHES_STAY_PUBLIC: 'yes' }, fetch)('https://a.org/');
    expect(taken).toEqual(['https://a.org/ follow']);
  });
});

describe('the way to services', () => {
  const settings = {
    LITELLM_URL: 'http://localhost:4000/v1',
    SEARXNG_URL: 'https://searx.home:8443',
    LANGUAGE_URL: 'machine:mini/mlx',
    DEV_FETCH_ORIGINS: 'http://127.0.0.1:8123, http://pages.dev.org',
  };

  it.each([
    'http://localhost:4000/v1/search/web',
    'https://searx.home:8443/search?q=x',
    'http://127.0.0.1:8123/page',
    'http://pages.dev.org/',
  ])('leads inside for what the settings name, and follows nothing: %s', async (url) => {
    const [inside, outside] = [way(), way()];
    const fetch = serviceFetch({ ...settings, INSIDE: inside }, outside.fetch);
    await fetch(url);
    await fetch(new Request(url), { redirect: 'follow' });
    expect([inside.taken, outside.taken]).toEqual([[`${url} manual`, `${url} manual`], []]);
  });

  it.each([
    'http://localhost/v1',
    'http://localhost:4001/v1',
    'https://localhost:4000/v1',
    'http://127.0.0.1:4000/v1',
    'http://searx.home:8443/',
    'https://searx.home.evil.org:8443/',
    'http://127.0.0.1/',
    'https://a.org/?u=http://localhost:4000',
  ])('leads inside for nothing else: %s', async (url) => {
    const [inside, outside] = [way(), way()];
    await serviceFetch({ ...settings, INSIDE: inside }, outside.fetch)(new URL(url));
    expect(inside.taken).toEqual([]);
    expect(outside.taken).toHaveLength(1);
  });

  it('is the platform’s own where it has no other', () => {
    const { fetch } = way();
    expect(serviceFetch(settings, fetch)).toBe(fetch);
  });
});
