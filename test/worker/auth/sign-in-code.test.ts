import { reset } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { TEST_OWNER_KEY } from '../../support/owner-key.ts';
import { send } from '../http.ts';
import { browser, inOwner, later, newAddress, owner, signedIn, signInAs, ticketOf } from './support.ts';

const MINUTE = 60_000;

afterEach(async () => {
  vi.useRealTimers();
  // What was counted here is not to be in the way of what comes after.
  await reset();
});

async function newCode(): Promise<string> {
  const { code } = await owner().makeSignInCode();
  return code;
}

const overApi = (key: string, address = newAddress()) =>
  send('/api/owner/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'cf-connecting-ip': address },
    body: JSON.stringify({ key }),
  });

describe('a one-time code', () => {
  it('signs its holder in once, however it is typed', async () => {
    const code = await newCode();
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    const visitor = browser();
    const typed = ` ${code.toLowerCase().replace('-', ' ')} `;
    expect((await signInAs(visitor, typed)).status).toBe(303);
    expect((await visitor.send('/')).status).toBe(200);
    const again = await signInAs(browser(), code);
    expect(again.status).toBe(403);
    expect(await again.text()).toContain('That code was used already');
    expect((await overApi(code)).status).toBe(403);
  });

  it('comes in the field of a link as well', async () => {
    const visitor = browser();
    const csrf = await ticketOf(visitor);
    expect((await visitor.submit('/signin', { csrf, key: '', code: await newCode() })).status).toBe(303);
  });

  it('is not used up by who only looks at the page, and by no form of another page', async () => {
    const code = await newCode();
    await browser().send(`/signin?code=${code}`);
    const visitor = browser();
    const csrf = await ticketOf(visitor);
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      expect((await visitor.submit('/signin', { csrf, key: '', code }, headers)).status).toBe(403);
    expect((await visitor.submit('/signin', { csrf: '', key: '', code })).status).toBe(403);
    expect((await signInAs(browser(), code)).status).toBe(303);
  });

  it('is worth nothing after three minutes', async () => {
    later(0);
    const code = await newCode();
    later(3 * MINUTE);
    expect((await signInAs(browser(), code)).status).toBe(403);
  });

  it('ends the one before it', async () => {
    const [first, second] = [await newCode(), await newCode()];
    expect((await signInAs(browser(), first)).status).toBe(403);
    expect((await signInAs(browser(), second)).status).toBe(303);
  });

  it('ends with everything that is revoked', async () => {
    const code = await newCode();
    await owner().revokeAll();
    expect((await signInAs(browser(), code)).status).toBe(403);
  });

  it('is kept as a hash alone', async () => {
    const code = await newCode();
    const kept = await inOwner((sql) => JSON.stringify(sql.exec('SELECT * FROM sign_in_code').toArray()));
    expect(kept).not.toContain(code);
    expect(kept).toContain('hash');
  });

  it('is guessed at five times from one address, and the owner key goes on to count', async () => {
    later(0);
    const code = await newCode();
    const address = newAddress();
    for (let i = 0; i < 5; i++) expect((await overApi(`0000-000${i}`, address)).status).toBe(403);
    expect((await overApi(code, address)).status).toBe(429);
    expect((await overApi(TEST_OWNER_KEY, address)).status).toBe(200);
    expect((await overApi(code, newAddress())).status).toBe(200);
  });

  it('is guessed at sixty times a minute from everywhere', async () => {
    later(0);
    const code = await newCode();
    for (let i = 0; i < 60; i++)
      expect((await overApi(`0000-00${i.toString().padStart(2, '0')}`)).status).toBe(403);
    expect((await overApi(code)).status).toBe(429);
  });

  it('is made by the owner alone, with a fresh proof', async () => {
    const make = (headers: Record<string, string>) =>
      send('/api/owner/sign-in-codes', { method: 'POST', headers });
    expect((await make({})).status).toBe(401);
    const { secret, csrf } = await signedIn();
    const own = { cookie: `__Host-bowline=${secret}`, 'x-csrf-token': csrf };
    expect((await make({ cookie: own.cookie })).status).toBe(403);
    expect(await (await make(own)).json()).toMatchObject({ code: expect.stringMatching(/^.{4}-.{4}$/) });
    later(6 * MINUTE);
    const late = await make(own);
    expect(late.status).toBe(403);
    expect(await late.json()).toMatchObject({ code: 'proof_needed' });
  });
});
