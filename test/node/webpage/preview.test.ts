import { once } from 'node:events';
import { createServer } from 'node:http';
import type { LookupFunction } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fetchWebpage } from '../../../contracts/webpage.ts';
import type { WebpagePorts } from '../../../local-bridge/tools/handlers/webpage.ts';
import { webpagePreviews } from '../../../local-bridge/tools/handlers/webpage-preview.ts';
import { look as lookAt } from '../../support/look.ts';
import { prepared } from '../../support/prepared.ts';

const never: typeof fetch = async () => {
  throw new Error('A preview fetched something.');
};

/** A name server with these names and no others. */
function names(known: Readonly<Record<string, readonly string[]>>) {
  const lookup: LookupFunction = (name, _options, callback) => {
    const addresses = known[name]?.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (addresses) callback(null, addresses);
    else callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }), '');
  };
  return { lookup };
}

const look = (url: string, ports: Partial<WebpagePorts>, more: object = {}) =>
  lookAt(
    fetchWebpage,
    prepared(fetchWebpage, { url, ...more }),
    { web: { fetch: never }, ...ports },
    webpagePreviews.fetch_webpage,
  );

describe('the preview of fetch_webpage', () => {
  it('says where the name leads and that this machine asks, and fetches nothing', async () => {
    const known = names({ 'shop.example.com': ['93.184.216.34', '2606:2800:220:1::1'] });
    expect(await look('http://shop.example.com/a?q=12345', { names: known })).toEqual({
      facts: [
        { text: 'This machine would fetch the page over its own network.', unusual: false },
        { text: 'The name shop.example.com leads to 93.184.216.34, 2606:2800:220:1::1.', unusual: false },
        { text: 'The connection is not encrypted.', unusual: false },
        { text: 'The address carries 7 characters after its `?`.', unusual: false },
      ],
      files: [],
      diff: null,
      state: null,
    });
  });

  it('refuses a selector that cannot be used, before anybody is asked', async () => {
    const known = names({ 'shop.example.com': ['93.184.216.34'] });
    expect(
      await look('https://shop.example.com/', { names: known }, { selector: 'p::before' }),
    ).toMatchObject({
      failure: { code: 'invalid_selector' },
    });
  });

  it('says that a name leads nowhere now', async () => {
    expect(await look('https://gone.example.com', { names: names({}) })).toMatchObject({
      facts: expect.arrayContaining([
        { text: 'The name gone.example.com leads nowhere at the moment (ENOTFOUND).', unusual: true },
      ]),
    });
  });

  it.each([
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://router.local/',
    'https://ada:word@example.com/',
    'https://example.com:8443/',
    'https://inside.example.com/',
  ])('ends a call that the guard would refuse: %s', async (url) => {
    const known = names({ 'inside.example.com': ['93.184.216.34', '10.1.2.3'] });
    const looked = await look(url, { names: known });
    expect(looked).toMatchObject({ kind: 'failed', failure: { code: 'blocked_url' } });
    // Nobody has said yes yet: what names mean inside the owner's network is not told.
    expect(JSON.stringify(looked)).not.toContain('10.1.2.3');
  });

  it("lets a developer's own test server be anywhere, and does not call it", async () => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.end('x');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const web = { fetch: never, rule: () => undefined };
    expect(await look(`http://127.0.0.1:${port}/`, { web })).toMatchObject({
      facts: expect.arrayContaining([{ text: 'The name 127.0.0.1 leads to 127.0.0.1.', unusual: false }]),
    });
    expect(asked).toBe(0);
  });
});
