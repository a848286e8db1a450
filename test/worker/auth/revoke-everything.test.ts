import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { TEST_OWNER_KEY } from '../../support/owner-key.ts';
import {
  api,
  approve,
  bearer,
  browser,
  codeIn,
  connectedApp,
  cookiesIn,
  eras,
  exchange,
  inOwner,
  mcpStatus,
  newAddress,
  type OwnerBrowser,
  openConsent,
  owner,
  personalToken,
  refresh,
  registered,
  signedIn,
  signInAs,
} from './support.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const overApi = (visitor: OwnerBrowser) => api(visitor, 'POST', 'revoke-everything');
const onPage = (visitor: OwnerBrowser) =>
  visitor.submit('/connections/revoke-everything', { csrf: visitor.csrf });

/** One of everything that opens a door, each seen to work, so that this isolate believes in it. */
async function everything() {
  const { visitor: other, ...app } = await connectedApp(['read']);
  const second = await connectedApp(['read', 'machine']);
  const { secret: script } = await personalToken();
  const { secret: script2 } = await personalToken(['read'], 365);
  for (const token of [app.access_token, second.access_token, script, script2]) {
    for (const era of eras) expect(await mcpStatus(era, bearer(token))).toBe(200);
  }
  const visitor = await signedIn();
  const clientId = await registered();
  const code = codeIn(await approve(other, await openConsent(other, clientId)));
  const open = await openConsent(other, await registered());
  return { visitor, other, app, second, script, script2, pending: { clientId, code }, open };
}

describe.each([
  ['over the API', overApi],
  ['on the page', onPage],
])('revoking everything %s', (_, revoke) => {
  it('shuts out every app, token and session at once, this one too', async () => {
    const all = await everything();
    const response = await revoke(all.visitor);
    expect([200, 303]).toContain(response.status);
    expect(cookiesIn(response).get('__Host-bowline')).toBe('');
    for (const token of [all.app.access_token, all.second.access_token, all.script, all.script2]) {
      for (const era of eras) expect(await mcpStatus(era, bearer(token))).toBe(401);
    }
    for (const { clientId, refresh_token } of [all.app, all.second]) {
      expect((await refresh(clientId, refresh_token)).status).toBe(400);
    }
    // By the secrets themselves: the browser that asked has thrown its cookie away.
    for (const { secret } of [all.visitor, all.other]) {
      const stale = browser();
      stale.cookies.set('__Host-bowline', secret);
      expect((await stale.send('/')).status).toBe(303);
      expect((await stale.send('/api/owner/access')).status).toBe(401);
    }
  });

  it('shuts out an app whose token is in storage still, which elsewhere it may be for a minute', async () => {
    const { access_token: token } = await connectedApp(['read']);
    expect(await mcpStatus('2026', bearer(token))).toBe(200);
    const kept = vi.spyOn(env.OAUTH_KV, 'delete').mockResolvedValue();
    await revoke(await signedIn());
    expect(kept).toHaveBeenCalled();
    for (const era of eras) expect(await mcpStatus(era, bearer(token))).toBe(401);
  });

  it('shuts out an app that was let in a moment ago and has not come for its token', async () => {
    const { visitor, pending } = await everything();
    await revoke(visitor);
    expect((await exchange(pending.clientId, pending.code)).status).toBe(400);
  });

  it('leaves no consent page that could still be sent', async () => {
    const { visitor, other, open } = await everything();
    await revoke(visitor);
    expect((await approve(other, open)).status).toBe(400);
  });

  it('leaves nothing in the store by which an app could come back', async () => {
    const { visitor } = await everything();
    await revoke(visitor);
    for (const prefix of ['grant:', 'token:owner:']) {
      expect((await env.OAUTH_KV.list({ prefix })).keys).toEqual([]);
    }
    const left = await inOwner((sql) =>
      ['session', 'token'].map(
        (table) => sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n,
      ),
    );
    expect(left).toEqual([0, 0]);
  });

  it('leaves passkeys, the owner key, and with them the way back in', async () => {
    const { visitor } = await everything();
    const id = crypto.randomUUID();
    await owner().savePasskey({
      id,
      publicKey: new ArrayBuffer(1),
      counter: 3,
      transports: ['usb'],
      name: 'Key',
    });
    await revoke(visitor);
    expect(await owner().passkeys()).toMatchObject([{ id, counter: 3, name: 'Key' }]);
    await owner().removePasskey(id);
    const back = browser(newAddress());
    expect((await signInAs(back, TEST_OWNER_KEY)).status).toBe(303);
    expect(await (await back.send('/connections')).text()).not.toContain('apps/revoke');
    // Both kinds of key can be made anew.
    const { access_token } = await connectedApp();
    expect(await mcpStatus('2026', bearer(access_token))).toBe(200);
  });

  it('is nothing that a used page or another session’s ticket can do', async () => {
    const { visitor, other, script } = await everything();
    await api({ ...visitor, csrf: other.csrf }, 'POST', 'revoke-everything');
    await visitor.submit('/connections/revoke-everything', { csrf: other.csrf });
    expect(await mcpStatus('2026', bearer(script))).toBe(200);
    await revoke(visitor);
    const again = await revoke(visitor);
    expect(again.headers.get('location') ?? String(again.status)).toMatch(/^(\/signin.*|401)$/);
  });
});

describe('shutting out one app', () => {
  it.each([
    ['over the API', (visitor: OwnerBrowser, id: string) => api(visitor, 'DELETE', `apps/${id}`)],
    [
      'on the page',
      (visitor: OwnerBrowser, id: string) =>
        visitor.submit('/connections/apps/revoke', { csrf: visitor.csrf, id }),
    ],
  ])('ends its tokens at once and leaves the others, %s', async (_, revoke) => {
    const [app, other] = [await connectedApp(), await connectedApp()];
    for (const { access_token } of [app, other]) {
      expect(await mcpStatus('2025', bearer(access_token))).toBe(200);
    }
    const visitor = await signedIn();
    const access = await api(visitor, 'GET', 'access');
    const { apps } = await access.json<{ apps: { id: string; clientId: string }[] }>();
    const id = apps.find(({ clientId }) => clientId === app.clientId)?.id ?? '';
    await revoke(visitor, id);
    expect(await mcpStatus('2025', bearer(app.access_token))).toBe(401);
    expect((await refresh(app.clientId, app.refresh_token)).status).toBe(400);
    expect(await mcpStatus('2025', bearer(other.access_token))).toBe(200);
    expect((await api(visitor, 'DELETE', `apps/${id}`)).status).toBe(404);
  });

  it('takes an id of an app and nothing else', async () => {
    const { access_token } = await connectedApp();
    const visitor = await signedIn();
    for (const id of ['x', '*', '%25', 'owner', 'x:y', '..']) {
      expect((await api(visitor, 'DELETE', `apps/${id}`)).status).toBe(404);
    }
    expect(await mcpStatus('2025', bearer(access_token))).toBe(200);
  });
});
