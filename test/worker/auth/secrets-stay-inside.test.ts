import { env, exports } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TEST_OWNER_KEY } from '../../support/owner-key.ts';
import { send } from '../http.ts';
import {
  api,
  approve,
  authorizePath,
  bearer,
  breakOwner,
  browser,
  CALLBACK,
  codeIn,
  exchange,
  mcpCall,
  openConsent,
  refresh,
  registered,
  registration,
  signedIn,
  signInAs,
  type Tokens,
  token,
} from './support.ts';

/** Everything the gateway said on the console. */
const logged: string[] = [];
/** Everything it answered: where it led to, and what it said when it refused. */
const answered: string[] = [];

const { fetch: send_ } = exports.default;

beforeEach(() => {
  logged.length = 0;
  answered.length = 0;
  for (const level of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
    vi.spyOn(console, level).mockImplementation((...words) => {
      logged.push(
        words.map((word) => (word instanceof Error ? `${word.stack}` : JSON.stringify(word))).join(' '),
      );
    });
  }
  vi.spyOn(exports.default, 'fetch').mockImplementation(async (...request) => {
    const response = await send_.apply(exports.default, request);
    const { location, ...headers } = Object.fromEntries(response.headers);
    delete headers['set-cookie'];
    // A code is in the address that it was asked for at, and belongs nowhere else.
    const elsewhere = location?.startsWith(`${CALLBACK}?code=`) ? '' : `${location}`;
    answered.push(elsewhere, JSON.stringify(headers), response.ok ? '' : await response.clone().text());
    return response;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** What somebody who reads a log or an error could use. A part is as good as a sign that all of it is near. */
function expectKept(secrets: string[]) {
  expect(answered.length).toBeGreaterThan(0);
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(20);
    for (const line of [...logged, ...answered]) {
      expect(line).not.toContain(secret);
      expect(line).not.toContain(encodeURIComponent(secret));
      expect(line).not.toContain(secret.slice(-20));
    }
  }
}

/** All that there is to keep, from one run through everything. */
async function wholeRun() {
  const visitor = browser();
  expect((await signInAs(visitor, TEST_OWNER_KEY)).status).toBe(303);
  const session = visitor.cookies.get('__Host-bowline') ?? '';
  const clientId = await registered();
  const consent = await openConsent(visitor, clientId);
  const code = codeIn(await approve(visitor, consent));
  const first = await (await exchange(clientId, code)).json<Tokens>();
  const second = await (await refresh(clientId, first.refresh_token)).json<Tokens>();
  const owned = await signedIn();
  const made = await api(owned, 'POST', 'tokens', { name: 'x', scopes: ['read'], days: 1 });
  const { secret: personal } = await made.json<{ secret: string }>();
  const tokens = [first.access_token, first.refresh_token, second.access_token, second.refresh_token];
  return { visitor, session, clientId, consent, code, tokens, personal, owned };
}

const everySecret = ({
  session,
  code,
  tokens,
  personal,
  owned,
  consent,
}: Awaited<ReturnType<typeof wholeRun>>) => [
  TEST_OWNER_KEY,
  session,
  owned.secret,
  code,
  ...tokens,
  personal,
  consent.handle,
];

describe('no secret is in a log, an error or an address', () => {
  it('when all goes well', async () => {
    const run = await wholeRun();
    await send('/mcp', { headers: bearer(run.personal) });
    await exports.default.fetch(mcpCall('2026', bearer(run.tokens[2] ?? '')));
    expectKept(everySecret(run));
    expect(logged).toEqual([]);
  });

  it('when everything is refused', async () => {
    const run = await wholeRun();
    const [access = '', refreshed = ''] = run.tokens;
    const { clientId, code, consent, visitor } = run;
    const wrong = (secret: string) => bearer(`${secret}x`);
    await signInAs(browser(), `${TEST_OWNER_KEY}x`);
    await browser().submit('/signin', { key: TEST_OWNER_KEY });
    for (const body of [
      `{"key":"${TEST_OWNER_KEY}x"}`,
      `{"key":"${TEST_OWNER_KEY}"`,
      `{"key":["${TEST_OWNER_KEY}"]}`,
    ]) {
      await send('/api/owner/session', { method: 'POST', body });
    }
    for (const secret of [access, refreshed, run.personal, run.session, code]) {
      await exports.default.fetch(mcpCall('2025', wrong(secret)));
      await exports.default.fetch(mcpCall('2026', {}, { path: `/mcp?access_token=${secret}` }));
      await send('/tools/hello', { method: 'POST', headers: wrong(secret) });
      await send(`/nowhere?token=${secret}`);
      await browser().send(authorizePath(clientId, { redirect_uri: `https://evil.example/${secret}` }));
      await browser().send(authorizePath(secret));
      await registration({ client_name: 1, redirect_uris: [secret] });
      await token({ grant_type: 'authorization_code', client_id: clientId, code: secret });
      await refresh(clientId, `${secret}x`);
    }
    await exchange(clientId, code, { code_verifier: 'wrong'.repeat(10) });
    await exchange(await registered(), code);
    await approve(visitor, consent);
    await approve(browser(), consent);
    await api({ ...run.owned, csrf: 'wrong' }, 'POST', 'tokens', { name: run.personal });
    await api(run.owned, 'POST', 'tokens', { name: 1, scopes: [run.personal], days: 0 });
    expectKept(everySecret(run));
  });

  it.each(['session', 'openSession', 'token', 'createToken', 'attempt', 'passkeys', 'access'])(
    'when the store fails: %s',
    async (method) => {
      const run = await wholeRun();
      breakOwner(method);
      const answers = [
        await run.visitor.send('/connections'),
        await browser().send('/signin'),
        await send('/api/owner/session', { method: 'POST', body: `{"key":"${TEST_OWNER_KEY}"}` }),
        await exports.default.fetch(mcpCall('2026', bearer(run.personal))),
        await registration(),
        await api(run.owned, 'POST', 'tokens', { name: 'y', scopes: ['read'], days: 1 }),
      ];
      expect(answers.some(({ status }) => status === 500)).toBe(true);
      // Somebody hears of it, and hears no more than that.
      expect(logged.length).toBeGreaterThan(0);
      expectKept(everySecret(run));
      for (const answer of answered) expect(answer).not.toMatch(/no such table|SQLITE|\.ts:\d/);
    },
  );

  it('when the store of apps fails', async () => {
    const run = await wholeRun();
    const broken = new Error('KV GET failed: 500');
    const get = vi.spyOn(env.OAUTH_KV, 'get').mockRejectedValue(broken);
    const answers = [
      await exports.default.fetch(mcpCall('2026', bearer(run.tokens[2] ?? ''))),
      // The code itself was exchanged a moment ago, and its answer is still known.
      await exchange(run.clientId, `${run.code}x`),
      await run.visitor.send(authorizePath(run.clientId)),
    ];
    expect(get).toHaveBeenCalled();
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500]);
    expectKept(everySecret(run));
    for (const answer of answered) expect(answer).not.toContain('KV GET');
  });
});
