import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type OwnerSession, signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { AT_LENGTH } from '../support/at-length.ts';
import {
  type Inside,
  NAME,
  OTHERS,
  startInside,
  startWhereNamed,
  whyNotHere,
} from '../support/named-inside.ts';
import { TEST_OWNER_KEY } from '../support/owner-key.ts';

const HOOK_SECRET = 'a webhook secret of some length';
const skipped = await whyNotHere();

describe.skipIf(skipped)(`a DNS name that leads to this computer${skipped ? ` (${skipped})` : ''}`, () => {
  let inside: Inside;
  let service: Server;
  let serviceAt: string;
  let gateway: Gateway;
  let owner: OwnerSession;
  let token: string;
  const serviceHeard: (string | undefined)[] = [];

  beforeAll(async () => {
    inside = await startInside();
    service = createServer((request, response) => {
      serviceHeard.push(request.url);
      if (request.url === '/away') response.writeHead(302, { location: `http://${NAME}/` });
      else response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ results: [{ title: 'Knots', url: 'https://a.org/', content: 'Tied.' }] }),
      );
    }).listen(0, inside.address);
    await once(service, 'listening');
    serviceAt = `http://${NAME}:${(service.address() as AddressInfo).port}`;
    gateway = await startWhereNamed(inside.address, {
      SEARXNG_URL: serviceAt,
      DEV_FETCH_ORIGINS: serviceAt,
      GITHUB_REPO: 'ada/notes',
      GITHUB_WEBHOOK_SECRET: HOOK_SECRET,
      GITHUB_API: `http://${NAME}`,
    });
    owner = await signInAsOwner(gateway.url, TEST_OWNER_KEY);
    ({ secret: token } = await owner.createToken({ name: 'tests', scopes: ['read'], days: 1 }));
  });
  beforeEach(() => {
    inside.connections.length = 0;
  });
  afterAll(async () => {
    await gateway?.stop();
    service?.close();
    await inside?.close();
  });

  const call = (tool: string, args: object) => callAt(gateway, token, tool, args);
  const cannotBeReached = expect.stringMatching(/cannot be reached: .*public/);

  it('leads every other program there', async () => {
    expect(gateway.leadsTo).toBe(inside.address);
  });

  it.each([`http://${NAME}/`, `https://${NAME}/`])('is not connected to for a page: %s', async (url) => {
    expect(await call('web_fetch', { url })).toMatchObject({
      code: 'fetch_failed',
      message: cannotBeReached,
    });
    expect(inside.connections).toEqual([]);
  });

  it.each(OTHERS)('is not connected to if it leads to $address', async ({ name }) => {
    const url = `http://${name}/`;
    expect(await call('web_fetch', { url })).toMatchObject({
      code: 'fetch_failed',
      message: cannotBeReached,
    });
  });

  it('is not connected to by way of a redirect from an origin that is open', async () => {
    expect(await call('web_fetch', { url: `${serviceAt}/away` })).toMatchObject({ code: 'fetch_failed' });
    expect(serviceHeard).toContain('/away');
    expect(inside.connections).toEqual([]);
  });

  it('is not connected to for the document of an app', async () => {
    expect(await askedByApp(gateway, owner)).toEqual([400, expect.stringContaining('cannot be verified')]);
    expect(inside.connections).toEqual([]);
  });

  it('is not connected to for a webhook', async () => {
    await owner.call('PUT', 'settings/webhooks', { value: [{ url: `http://${NAME}/topic` }] });
    const { cookie = '', 'x-csrf-token': csrf = '' } = owner.headers;
    const response = await fetch(`${gateway.url}/notifications/test`, {
      method: 'POST',
      headers: { cookie, origin: gateway.url },
      body: new URLSearchParams({ csrf }),
    });
    expect(await response.text()).toContain(`${NAME} could not be reached`);
    expect(inside.connections).toEqual([]);
  });

  it('is not connected to for a joined server', async () => {
    await owner.call('POST', 'servers', { name: 'inward', url: `http://${NAME}/mcp` });
    const { server } = (await owner.call('POST', 'servers/inward/check')) as { server: { problem: string } };
    expect(server.problem).toMatch(/cannot be reached: .*not public/);
    await expect(owner.call('POST', 'servers/inward/sign-in')).rejects.toThrow();
    expect(inside.connections).toEqual([]);
  });

  it('is not connected to for the archive of a repo', async () => {
    const body = JSON.stringify({
      ...{ ref: 'refs/heads/main', after: 'a'.repeat(40), deleted: false },
      repository: { full_name: 'ada/notes', pushed_at: 1_767_952_800 },
    });
    const signature = createHmac('sha256', HOOK_SECRET).update(body).digest('hex');
    const hooked = await fetch(`${gateway.url}/hooks/github`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-github-delivery': '72d3162e-cc78-11e3-81ab-000000000001',
        'x-hub-signature-256': `sha256=${signature}`,
      },
      body,
    });
    expect(hooked.status).toBe(202);
    const headers = { authorization: `Bearer ${token}` };
    await vi.waitFor(
      async () => {
        const mirror = await (await fetch(`${gateway.url}/api/mirror`, { headers })).json();
        expect(mirror).toMatchObject({
          problem: expect.stringMatching(/The archive was not taken: .*not public/),
        });
      },
      { timeout: 20_000, interval: 100 },
    );
    expect(inside.connections).toEqual([]);
  });

  it('is reached where the owner’s settings name it as a service, with its port', async () => {
    expect(await call('search_web', { query: 'knots' })).toMatchObject({
      results: [{ title: 'Knots', url: 'https://a.org/', snippet: 'Tied.' }],
    });
    expect(serviceHeard.some((path) => path?.startsWith('/search?q=knots'))).toBe(true);
    expect(await call('web_fetch', { url: `${serviceAt}/page` })).toMatchObject({
      clean_text: expect.stringContaining('Knots'),
    });
    expect(inside.connections).toEqual([]);
  });
});

// In short, test/e2e/wrangler-dev.test.ts.
describe.skipIf(skipped || !AT_LENGTH)(
  `a name under \`wrangler dev\`${skipped ? ` (${skipped})` : ''}`,
  () => {
    it('is not looked up, because nothing sees where it leads', async () => {
      const inside = await startInside();
      onTestFinished(inside.close);
      const gateway = await startWhereNamed(inside.address, {}, 'wrangler dev');
      onTestFinished(gateway.stop);
      expect(gateway.leadsTo).toBe(inside.address);
      const owner = await signInAsOwner(gateway.url, TEST_OWNER_KEY);
      const { secret } = await owner.createToken({ name: 'tests', scopes: ['read'], days: 1 });
      expect(await callAt(gateway, secret, 'web_fetch', { url: `http://${NAME}/` })).toMatchObject({
        code: 'blocked_url',
        message: expect.stringContaining('`npm start`'),
      });
      expect(await askedByApp(gateway, owner)).toEqual([400, expect.stringContaining('cannot be verified')]);
      expect(inside.connections).toEqual([]);
    });
  },
);

type Gateway = Awaited<ReturnType<typeof startWhereNamed>>;

async function callAt({ url }: Gateway, token: string, tool: string, args: object) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const init = { method: 'POST', headers, body: JSON.stringify(args) };
  return (await (await fetch(`${url}/tools/${tool}`, init)).json()) as object;
}

/** What the owner sees whom an app sends here that has a document at the name. */
async function askedByApp({ url }: Gateway, owner: OwnerSession): Promise<[number, string]> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: `https://${NAME}/app.json`,
    redirect_uri: 'https://app.org/back',
    scope: 'read',
    state: 's',
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
    resource: `${url}/mcp`,
  });
  const { cookie = '' } = owner.headers;
  const response = await fetch(`${url}/authorize?${query}`, { headers: { cookie } });
  return [response.status, await response.text()];
}
