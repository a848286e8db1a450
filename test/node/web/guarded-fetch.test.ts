import { describe, expect, it } from 'vitest';
import { BlockedUrl, guardFetch } from '../../../src/web/guarded-fetch.ts';

interface Seen {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
  readonly redirect: string;
  readonly signal: AbortSignal;
}

/** A network of these answers; what is not among them is a page that says `ok`. */
function network(answers: Record<string, () => Response> = {}) {
  const seen: Seen[] = [];
  const guarded = guardFetch(async (input, init) => {
    // As the real one does it: what `init` says goes before what the request says.
    const request = new Request(input, init);
    const { url, method, headers, redirect, signal } = request;
    seen.push({ url, method, headers, redirect, signal, body: await request.text() });
    return answers[url]?.() ?? new Response('ok');
  });
  return { guarded, seen, urls: () => seen.map(({ url }) => url) };
}

const redirect =
  (to: string, status = 302) =>
  () =>
    new Response(null, { status, headers: { location: to } });

/** So many redirects in a row, from `/0` on. */
const chain = (length: number) =>
  Object.fromEntries(Array.from({ length }, (_, i) => [`https://a.org/${i}`, redirect(`/${i + 1}`)]));

const secrets = { authorization: 'Bearer secret', cookie: 'a=secret', 'proxy-authorization': 'Basic secret' };

describe('an address that is fetched', () => {
  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://2130706433/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://metadata.google.internal/',
    'https://router/',
    'https://a.org:8443/',
    'https://user:pass@a.org/',
    'file:///etc/passwd',
    'data:text/plain,x',
  ])('is refused before anything is sent: %s', async (url) => {
    const { guarded, seen } = network();
    for (const input of [url, new URL(url)]) await expect(guarded(input)).rejects.toThrow();
    expect(seen).toEqual([]);
  });

  it('is named in the refusal without what may be secret in it', async () => {
    const { guarded } = network();
    const error = await guarded('http://10.0.0.1/path?token=secret').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BlockedUrl);
    expect(error).toMatchObject({ name: 'BlockedUrl' });
    expect(String(error)).toContain('http://10.0.0.1 is not fetched: 10.0.0.1 is in 10.0.0.0/8 (private).');
    expect(String(error)).not.toContain('secret');
  });

  it('is passed on as it was asked for, as text, URL or request, with redirects left to the guard', async () => {
    for (const input of ['https://a.org/x', new URL('https://a.org/x'), new Request('https://a.org/x')]) {
      const { guarded, seen } = network();
      const init = { method: 'POST', body: 'hello', headers: { 'x-a': '1', ...secrets } };
      expect(await (await guarded(input, init)).text()).toBe('ok');
      expect(seen).toMatchObject([
        { url: 'https://a.org/x', method: 'POST', body: 'hello', redirect: 'manual' },
      ]);
      expect(Object.fromEntries(seen[0]?.headers ?? [])).toMatchObject({ 'x-a': '1', ...secrets });
    }
  });

  it('is passed on with what a request of its own says', async () => {
    const { guarded, seen } = network();
    await guarded(new Request('https://a.org/x', { method: 'PUT', body: 'hello', headers: { 'x-a': '1' } }));
    expect(seen).toMatchObject([{ method: 'PUT', body: 'hello' }]);
    expect(seen[0]?.headers.get('x-a')).toBe('1');
  });

  it('is passed on with a body that comes in pieces', async () => {
    const { guarded, seen } = network();
    const body = new Blob(['hello']).stream();
    await guarded('https://a.org/x', { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect(seen).toMatchObject([{ body: 'hello' }]);
  });
});

describe('a redirect', () => {
  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    '//localhost/',
    'https://[::ffff:10.0.0.1]/',
    'https://0x7f.1/',
    'https://b.org:8443/',
    'https://user@b.org/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'javascript:alert(1)',
  ])('is not followed to %s', async (to) => {
    const { guarded, urls } = network({ 'http://a.org/': redirect(to) });
    await expect(guarded('http://a.org/')).rejects.toThrow(BlockedUrl);
    expect(urls()).toEqual(['http://a.org/']);
  });

  it('is not followed inside at any later step either', async () => {
    const { guarded, urls } = network({
      'https://a.org/': redirect('https://b.org/'),
      'https://b.org/': redirect('https://c.org/'),
      'https://c.org/': redirect('https://192.168.0.1/'),
    });
    await expect(guarded('https://a.org/')).rejects.toThrow('192.168.0.0/16');
    expect(urls()).toEqual(['https://a.org/', 'https://b.org/', 'https://c.org/']);
  });

  it('is followed five times and not a sixth', async () => {
    const five = network(chain(5));
    expect(await (await five.guarded('https://a.org/0')).text()).toBe('ok');
    expect(five.urls()).toHaveLength(6);
    const six = network(chain(6));
    await expect(six.guarded('https://a.org/0')).rejects.toThrow(
      'https://a.org redirects more than 5 times.',
    );
    expect(six.urls()).toHaveLength(6);
    const round = network({ 'https://a.org/0': redirect('/0') });
    await expect(round.guarded('https://a.org/0')).rejects.toThrow(BlockedUrl);
    expect(round.urls()).toHaveLength(6);
  });

  it('is not followed out of encryption, but into it', async () => {
    const out = network({ 'https://a.org/': redirect('http://a.org/') });
    await expect(out.guarded('https://a.org/')).rejects.toThrow(
      'https://a.org redirects from https to http.',
    );
    expect(out.urls()).toHaveLength(1);
    const into = network({ 'http://a.org/': redirect('https://a.org/') });
    expect((await into.guarded('http://a.org/')).status).toBe(200);
  });

  it.each([301, 302, 303, 307, 308])('is read relative to where it was met: %i', async (status) => {
    const { guarded, urls } = network({ 'https://a.org/x/y': redirect('../z?q=1', status) });
    await guarded('https://a.org/x/y');
    expect(urls()[1]).toBe('https://a.org/z?q=1');
  });

  it.each([
    ['without an address', () => new Response(null, { status: 302 })],
    ['that is none', () => new Response('body', { status: 200, headers: { location: 'http://127.0.0.1/' } })],
    [
      'that is an error',
      () => new Response(null, { status: 404, headers: { location: 'http://127.0.0.1/' } }),
    ],
  ])('is the answer if it is one %s', async (_, answer) => {
    const { guarded, urls } = network({ 'https://a.org/': answer });
    expect((await guarded('https://a.org/')).status).toBe(answer().status);
    expect(urls()).toHaveLength(1);
  });

  it('to what is no address at all is an error', async () => {
    const { guarded, urls } = network({ 'https://a.org/': redirect('http://[') });
    await expect(guarded('https://a.org/')).rejects.toThrow();
    expect(urls()).toHaveLength(1);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'is given back for a %s, and nothing is sent again',
    async (method) => {
      for (const status of [301, 302, 303, 307, 308]) {
        const { guarded, urls } = network({ 'https://a.org/': redirect('https://b.org/', status) });
        expect((await guarded('https://a.org/', { method, body: 'secret' })).status).toBe(status);
        expect(urls()).toEqual(['https://a.org/']);
      }
    },
  );

  it('is followed by HEAD as HEAD', async () => {
    const { guarded, seen } = network({ 'https://a.org/': redirect('https://b.org/') });
    await guarded('https://a.org/', { method: 'HEAD' });
    expect(seen.map(({ method }) => method)).toEqual(['HEAD', 'HEAD']);
  });

  it('is given back to whoever wants to follow for themselves', async () => {
    const { guarded, urls } = network({ 'https://a.org/': redirect('http://127.0.0.1/') });
    expect((await guarded('https://a.org/', { redirect: 'manual' })).status).toBe(302);
    expect((await guarded(new Request('https://a.org/', { redirect: 'manual' }))).status).toBe(302);
    expect(urls()).toEqual(['https://a.org/', 'https://a.org/']);
  });
});

describe('what goes along with a redirect', () => {
  const steps = {
    'https://a.org/': redirect('/here'),
    'https://a.org/here': redirect('https://b.org/there'),
    'https://b.org/there': redirect('https://a.org/back'),
  };
  const asked = { headers: { ...secrets, accept: 'text/html' } };

  it.each<[string, (fetch: typeof globalThis.fetch) => Promise<Response>]>([
    ['in the options', (guarded) => guarded('https://a.org/', asked)],
    ['in the request', (guarded) => guarded(new Request('https://a.org/', asked))],
    ['in both', (guarded) => guarded(new Request('https://a.org/', asked), asked)],
  ])('is no secret once it leaves its origin, though it come back, and all the rest: %s', async (_, ask) => {
    const { guarded, seen } = network(steps);
    await ask(guarded);
    expect(
      seen.map(({ url, headers }) => [url, Object.keys(secrets).filter((name) => headers.has(name))]),
    ).toEqual([
      ['https://a.org/', Object.keys(secrets)],
      ['https://a.org/here', Object.keys(secrets)],
      ['https://b.org/there', []],
      ['https://a.org/back', []],
    ]);
    expect(seen.map(({ headers }) => headers.get('accept'))).toEqual(Array(4).fill('text/html'));
  });

  it.each(['https://a.org.evil.org/', 'https://www.a.org/'])(
    'is no secret to a neighbour: %s',
    async (to) => {
      const { guarded, seen } = network({ 'https://a.org/': redirect(to) });
      await guarded('https://a.org/', asked);
      expect(seen[1]?.headers.has('authorization')).toBe(false);
    },
  );

  it('is no secret from before encryption to after it', async () => {
    const { guarded, seen } = network({ 'http://a.org/': redirect('https://a.org/') });
    await guarded('http://a.org/', asked);
    expect(seen[1]?.headers.has('authorization')).toBe(false);
  });

  it('is the wish to stop', async () => {
    for (const as of ['options', 'request']) {
      const { guarded, seen } = network({ 'https://a.org/': redirect('https://b.org/') });
      const stop = new AbortController();
      if (as === 'options') await guarded('https://a.org/', { signal: stop.signal });
      else await guarded(new Request('https://a.org/', { signal: stop.signal }));
      stop.abort();
      expect(seen.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    }
  });
});
