import { afterEach, describe, expect, it, vi } from 'vitest';
import { AT_LENGTH } from '../../support/at-length.ts';
import { send } from '../http.ts';
import {
  approve,
  bearer,
  CALLBACK,
  codeIn,
  connectedApp,
  exchange,
  later,
  mcpStatus,
  openConsent,
  refresh,
  registered,
  signedIn,
  type Tokens,
  VERIFIER,
} from './support.ts';

afterEach(() => {
  vi.useRealTimers();
});

const ROUNDS = AT_LENGTH ? 50 : 4;

/** Sends a refresh whose sender never reads a whole answer. */
const ways: Record<string, (send: () => Promise<Response>) => Promise<void>> = {
  'gets no answer': async (sent) => {
    await (await sent()).body?.cancel();
  },
  'gets half of the answer': async (sent) => {
    const reader = (await sent()).body?.getReader();
    await reader?.read();
    await reader?.cancel();
  },
  'does not wait for the answer': async (sent) => {
    void sent().then((response) => response.text());
  },
};

describe.each(Object.entries(ways))('a client that first %s', (_, lose) => {
  it.each([2, 5, 20])('and then refreshes %i times at once stays signed in', async (count) => {
    const app = await connectedApp();
    let token = app.refresh_token;
    for (let round = 0; round < ROUNDS; round++) {
      await lose(() => refresh(app.clientId, token));
      const answers = await Promise.all(Array.from({ length: count }, () => refresh(app.clientId, token)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const all = await Promise.all(answers.map((answer) => answer.json<Tokens>()));
      expect(new Set(all.map((one) => one.refresh_token)).size).toBe(1);
      expect(new Set(all.map((one) => one.access_token)).size).toBe(1);
      token = all[0]?.refresh_token ?? '';
    }
    const { access_token } = await (await refresh(app.clientId, token)).json<Tokens>();
    expect(await mcpStatus('2026', bearer(access_token))).toBe(200);
  });
});

async function newCode() {
  const visitor = await signedIn();
  const clientId = await registered();
  return { clientId, code: codeIn(await approve(visitor, await openConsent(visitor, clientId), ['read'])) };
}

describe('a code', () => {
  it('that the network sends twice gives the same tokens, and they hold', async () => {
    const { clientId, code } = await newCode();
    const answers = await Promise.all([1, 2, 3].map(() => exchange(clientId, code)));
    const again = await exchange(clientId, code);
    const all = await Promise.all([...answers, again].map((answer) => answer.json<Tokens>()));
    expect(new Set(all.map((one) => one.access_token)).size).toBe(1);
    expect(await mcpStatus('2025', bearer(all[0]?.access_token ?? ''))).toBe(200);
  });

  it('that comes again after a minute ends the grant', async () => {
    const { clientId, code } = await newCode();
    const { access_token } = await (await exchange(clientId, code)).json<Tokens>();
    later(61_000);
    expect((await exchange(clientId, code)).status).toBe(400);
    later(5_000);
    expect(await mcpStatus('2025', bearer(access_token))).toBe(401);
  });

  it.each([
    ['another verifier', { code_verifier: 'w'.repeat(64) }],
    ['no verifier', { code_verifier: '' }],
    ['another address', { redirect_uri: `${CALLBACK}2` }],
    ['another client', { client_id: 'unknown' }],
  ])('with %s gets nothing of the answer that is kept', async (_, changed) => {
    const { clientId, code } = await newCode();
    expect((await exchange(clientId, code)).status).toBe(200);
    const stolen = await exchange(clientId, code, changed);
    expect(stolen.status).toBeGreaterThanOrEqual(400);
    expect(await stolen.text()).not.toContain('access_token');
  });
});

describe('an answer that is kept', () => {
  it('is for the very secret of a client', async () => {
    const visitor = await signedIn();
    const said = {
      client_name: 'An app',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'client_secret_basic',
    };
    const registration = await send('/oauth/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(said),
    });
    const { client_id: id, client_secret: secret } = await registration.json<Record<string, string>>();
    const code = codeIn(await approve(visitor, await openConsent(visitor, id ?? ''), ['read']));
    const by = (password: string) =>
      send('/oauth/token', {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${id}:${password}`)}` },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          redirect_uri: CALLBACK,
          code_verifier: VERIFIER,
          code,
        }),
      });
    expect((await by(secret ?? '')).status).toBe(200);
    const stolen = await by('wrong');
    expect(stolen.status).toBeGreaterThanOrEqual(400);
    expect(await stolen.text()).not.toContain('access_token');
    expect((await by(secret ?? '')).status).toBe(200);
  });

  it('is over after a minute, when the old refresh token has its usual meaning', async () => {
    const { clientId, refresh_token: first } = await connectedApp();
    const second = await (await refresh(clientId, first)).json<Tokens>();
    const third = await (await refresh(clientId, second.refresh_token)).json<Tokens>();
    later(61_000);
    expect((await refresh(clientId, first)).status).toBe(400);
    expect((await refresh(clientId, third.refresh_token)).status).toBe(200);
  });
});
