import { exports } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { TEST_OWNER_KEY } from '../../support/owner-key.ts';
import { GATEWAY, messageIn, send } from '../http.ts';
import {
  approve,
  authorizePath,
  bearer,
  browser,
  CALLBACK,
  codeIn,
  connectedApp,
  eras,
  exchange,
  later,
  mcpCall,
  mcpStatus,
  openConsent,
  refresh,
  registered,
  registration,
  signedIn,
  type Tokens,
  token,
} from './support.ts';

afterEach(() => {
  vi.useRealTimers();
});

const errorIn = async (response: Response) => {
  expect(response.status).toBe(400);
  return (await response.json<{ error: string }>()).error;
};

describe('from nothing to a call', () => {
  it('goes through registration, sign-in, consent, code and token, as an app and a browser do it', async () => {
    // The app is turned away, and reads where to ask.
    const refused = await exports.default.fetch(mcpCall('2026'));
    const where =
      /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? '';
    const resource = await (await send(new URL(where).pathname)).json<Record<string, string[]>>();
    expect(resource.authorization_servers).toEqual([GATEWAY]);
    const { client_id: clientId } = await (await registration()).json<{ client_id: string }>();

    // The owner's browser is sent to sign in first, and comes back to the same question.
    const visitor = browser();
    const asked = authorizePath(clientId);
    const toSignIn = (await visitor.send(asked)).headers.get('location') ?? '';
    expect(toSignIn).toBe(`/signin?next=${encodeURIComponent(asked)}`);
    const form = await (await visitor.send(toSignIn)).text();
    const field = (name: string) =>
      (new RegExp(`name="${name}" value="([^"]*)"`).exec(form)?.[1] ?? '').replaceAll('&amp;', '&');
    const fields = { csrf: field('csrf'), next: field('next'), key: TEST_OWNER_KEY };
    const back = (await visitor.submit('/signin', fields)).headers.get('location') ?? '';
    expect(back).toBe(asked);

    // The page says who asks, where access goes, and what for.
    const consent = await openConsent(visitor, clientId);
    expect(consent.html).toContain('An app');
    expect(consent.html).toContain('app.example');
    expect(consent.html).toContain('unknown: the app chose its own name');
    expect(consent.html.match(/name="scope" value="\w+" checked/g)).toHaveLength(3);

    const approved = await approve(visitor, consent, ['read', 'write', 'machine']);
    expect(approved.status).toBe(303);
    const location = new URL(approved.headers.get('location') ?? '');
    expect(location.searchParams.get('state')).toBe('the state');
    expect(location.searchParams.get('iss')).toBe(GATEWAY);

    const answer = await exchange(clientId, codeIn(approved));
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const tokens = await answer.json<Tokens>();
    expect(tokens).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'read write machine',
      resource: `${GATEWAY}/mcp`,
    });
    for (const era of eras) {
      const response = await exports.default.fetch(mcpCall(era, bearer(tokens.access_token)));
      expect((await messageIn(response)).result).toMatchObject({
        structuredContent: { greeting: 'Hello, World!' },
      });
    }
  });

  it('asks for everything an app left to us to choose', async () => {
    const { html } = await openConsent(await signedIn(), await registered(), { scope: undefined });
    expect(html.match(/name="scope" value="\w+" checked/g)).toHaveLength(3);
  });

  it('leaves without state an app that sent none', async () => {
    const visitor = await signedIn();
    const consent = await openConsent(visitor, await registered(), { state: undefined });
    const location = new URL((await approve(visitor, consent)).headers.get('location') ?? '');
    expect(location.searchParams.has('state')).toBe(false);
  });
});

describe('what is ticked', () => {
  it('is what is granted, if it is less than was asked for', async () => {
    const { html } = await openConsent(await signedIn(), await registered(), { scope: 'read machine' });
    expect(html).toMatch(/value="read" checked/);
    expect(html).toMatch(/value="machine" checked/);
    expect(html).not.toMatch(/value="write" checked/);
    expect((await connectedApp(['machine'])).scope).toBe('machine');
  });

  it('cannot be widened by asking again with a refresh token or a code', async () => {
    const visitor = await signedIn();
    const clientId = await registered();
    const code = codeIn(await approve(visitor, await openConsent(visitor, clientId), ['read']));
    const first = await (await exchange(clientId, code, { scope: 'read write machine' })).json<Tokens>();
    expect(first.scope).toBe('read');
    const again = await token({
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: first.refresh_token,
      scope: 'read machine',
    });
    expect((await again.json<Tokens>()).scope).toBe('read');
  });

  it('may not be nothing, and nothing is granted then', async () => {
    const visitor = await signedIn();
    const response = await approve(visitor, await openConsent(visitor, await registered()), []);
    expect(response.status).toBe(400);
    expect(response.headers.has('location')).toBe(false);
    expect(await response.text()).toContain('Nothing was granted');
  });

  it('counts only if it is a scope there is', async () => {
    const visitor = await signedIn();
    const consent = await openConsent(visitor, await registered());
    const { handle, csrf } = consent;
    const odd = { handle, csrf, scope: ['admin', 'READ', 'read write', ''], decision: 'approve' };
    expect((await visitor.submit('/authorize', odd)).status).toBe(400);
  });
});

describe('a refusal by the owner', () => {
  it.each(['deny', '', 'APPROVE', 'approved'])(
    'is any other decision than approval: %j',
    async (decision) => {
      const visitor = await signedIn();
      const { handle, csrf } = await openConsent(visitor, await registered());
      const fields = { handle, csrf, scope: ['read'], decision };
      const location = (await visitor.submit('/authorize', fields)).headers.get('location') ?? '';
      const { origin, pathname, searchParams } = new URL(location);
      expect(origin + pathname).toBe(CALLBACK);
      expect(Object.fromEntries(searchParams)).toMatchObject({
        error: 'access_denied',
        state: 'the state',
        iss: GATEWAY,
      });
      expect(searchParams.has('code')).toBe(false);
      // The page is used up.
      expect((await approve(visitor, { handle, csrf, html: '', cookie: '' })).status).toBe(400);
    },
  );
});

describe('a refresh token', () => {
  it('is replaced at every use, and dies once its replacement is used', async () => {
    const { clientId, refresh_token: first } = await connectedApp();
    const second = await (await refresh(clientId, first)).json<Tokens>();
    expect(second.refresh_token).not.toBe(first);
    expect(await mcpStatus('2025', bearer(second.access_token))).toBe(200);
    // The answer may have been lost on the way, so until then the old one still gets it, or later another.
    expect(await (await refresh(clientId, first)).json()).toEqual(second);
    later(61_000);
    const retried = await (await refresh(clientId, first)).json<Tokens>();
    expect(retried.refresh_token).not.toBe(second.refresh_token);
    const third = await (await refresh(clientId, retried.refresh_token)).json<Tokens>();
    expect(await errorIn(await refresh(clientId, first))).toBe('invalid_grant');
    expect(await errorIn(await refresh(clientId, second.refresh_token))).toBe('invalid_grant');
    expect((await refresh(clientId, third.refresh_token)).status).toBe(200);
  });

  it('is of use to nobody but the app it was given to', async () => {
    const { refresh_token } = await connectedApp();
    expect(await errorIn(await refresh(await registered(), refresh_token))).toBe('invalid_grant');
  });

  it('does not open MCP for another resource', async () => {
    const { clientId, refresh_token } = await connectedApp();
    const fields = { grant_type: 'refresh_token', client_id: clientId, refresh_token };
    expect(await errorIn(await token({ ...fields, resource: 'https://other.example/mcp' }))).toBe(
      'invalid_target',
    );
    expect((await token({ ...fields, resource: `${GATEWAY}/mcp` })).status).toBe(200);
  });

  it('lives for thirty days of not being used, counted anew from each use', async () => {
    const { clientId, refresh_token } = await connectedApp();
    const DAY = 86_400_000;
    later(29 * DAY);
    const second = await (await refresh(clientId, refresh_token)).json<Tokens>();
    later(29 * DAY);
    const third = await (await refresh(clientId, second.refresh_token)).json<Tokens>();
    later(30 * DAY);
    expect(await errorIn(await refresh(clientId, third.refresh_token))).toBe('invalid_grant');
  });
});

describe('letting the same app in again', () => {
  it('replaces what it had, so that one row under Connections shuts it out', async () => {
    const { visitor, clientId, access_token, refresh_token } = await connectedApp();
    const code = codeIn(await approve(visitor, await openConsent(visitor, clientId), ['read']));
    expect(await mcpStatus('2026', bearer(access_token))).toBe(401);
    expect(await errorIn(await refresh(clientId, refresh_token))).toBe('invalid_grant');
    expect((await exchange(clientId, code)).status).toBe(200);
  });
});
