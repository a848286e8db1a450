import { afterEach, describe, expect, it, vi } from 'vitest';
import { newAuthenticator } from '../../support/authenticator.ts';
import { GATEWAY } from '../http.ts';
import {
  type Browser,
  browser,
  later,
  type OwnerBrowser,
  owner,
  proveAll,
  signedIn,
  ticketOf,
} from './owner.ts';

const honest = { origin: GATEWAY, rpId: 'localhost', counter: 1, verified: true };
const MINUTE = 60_000;

afterEach(async () => {
  vi.useRealTimers();
  for (const { id } of await owner().passkeys()) await owner().removePasskey(id);
});

/** One step of a ceremony, as the page's script sends it. */
async function step(visitor: Browser, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await visitor.send(`/passkeys/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: GATEWAY, 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, ...(await answer.json<Record<string, unknown>>()) };
}
const challengeOf = async (visitor: Browser, path: string, csrf: string) =>
  String((await step(visitor, `${path}/options`, { csrf })).challenge);

/** An owner with a passkey, and what holds it. */
async function withPasskey(
  counter = honest.counter,
): Promise<{ own: OwnerBrowser; key: ReturnType<typeof newAuthenticator> }> {
  const own = await signedIn();
  const key = newAuthenticator({ ...honest, counter });
  const challenge = await challengeOf(own, 'register', own.csrf);
  const made = await step(own, 'register', { csrf: own.csrf, name: 'Phone', response: key.made(challenge) });
  expect(made).toMatchObject({ status: 200, registered: true });
  return { own, key };
}
const notAccepted = { status: 403, code: 'passkey_refused' };

describe('a new passkey', () => {
  it('is kept under its name, and not asked for twice', async () => {
    const { own, key } = await withPasskey();
    expect(await owner().passkeys()).toMatchObject([
      { id: key.id, name: 'Phone', counter: 1, transports: ['internal'], seenAt: null },
    ]);
    const options = await step(own, 'register/options', { csrf: own.csrf });
    expect(options).toMatchObject({
      rp: { id: 'localhost' },
      excludeCredentials: [{ id: key.id }],
      authenticatorSelection: { userVerification: 'required' },
    });
  });

  it.each([
    ['for another site', { origin: 'https://evil.example' }],
    ['for another name', { rpId: 'evil.example' }],
    ['without its person', { verified: false }],
  ])('is not kept if it was made %s', async (_, change) => {
    const own = await signedIn();
    const challenge = await challengeOf(own, 'register', own.csrf);
    const response = newAuthenticator(honest).made(challenge, change);
    expect(await step(own, 'register', { csrf: own.csrf, name: 'Phone', response })).toMatchObject(
      notAccepted,
    );
    expect(await owner().passkeys()).toEqual([]);
  });

  it('answers a challenge of this session, made for this, lately, and only once', async () => {
    const own = await signedIn();
    const another = await signedIn();
    const key = newAuthenticator(honest);
    const register = (visit: OwnerBrowser, challenge: string) =>
      step(visit, 'register', { csrf: visit.csrf, name: 'Phone', response: key.made(challenge) });
    expect(await register(own, 'bm9uZQ')).toMatchObject(notAccepted);
    expect(await register(another, await challengeOf(own, 'register', own.csrf))).toMatchObject(notAccepted);
    expect(await register(own, await challengeOf(own, 'confirm', own.csrf))).toMatchObject(notAccepted);
    const old = await challengeOf(own, 'register', own.csrf);
    later(5 * MINUTE);
    await proveAll();
    expect(await register(own, old)).toMatchObject(notAccepted);
    const challenge = await challengeOf(own, 'register', own.csrf);
    expect(await register(own, challenge)).toMatchObject({ status: 200 });
    await owner().removePasskey(key.id);
    expect(await register(own, challenge)).toMatchObject(notAccepted);
  });

  it('is made by somebody who is signed in, on a page of ours, with a name', async () => {
    const own = await signedIn();
    const response = newAuthenticator(honest).made('bm9uZQ');
    expect((await step(browser(), 'register/options', { csrf: own.csrf })).status).toBe(401);
    expect((await step(own, 'register/options', { csrf: 'wrong' })).status).toBe(403);
    expect((await step(own, 'register', { csrf: own.csrf, name: ' ', response })).status).toBe(400);
    expect((await step(own, 'register', { csrf: own.csrf, name: 'Phone', response: [] })).status).toBe(400);
  });
});

describe('a passkey', () => {
  /** A visitor at the sign-in form, asked to show their passkey. */
  const asked = async () => {
    const visitor = browser();
    const csrf = await ticketOf(visitor);
    return { visitor, csrf, challenge: await challengeOf(visitor, 'sign-in', csrf) };
  };

  it('lets its owner in where they were going, and nowhere else', async () => {
    const { key } = await withPasskey();
    for (const [counter, next, location] of [
      [2, '/ledger', '/ledger'],
      [3, 'https://evil.example/', '/'],
    ] as const) {
      const { visitor, csrf, challenge } = await asked();
      const response = key.shown(challenge, { counter });
      const said = await step(visitor, 'sign-in', { csrf, next, response });
      expect(said).toMatchObject({ status: 200, location });
      expect((await visitor.send('/ledger')).status).toBe(200);
      expect(await owner().passkeys()).toMatchObject([{ counter, seenAt: expect.any(Number) }]);
    }
  });

  it('is not told of to whoever is not signed in', async () => {
    await withPasskey();
    const { visitor, csrf } = await asked();
    expect(await step(visitor, 'sign-in/options', { csrf })).not.toHaveProperty('allowCredentials.0');
  });

  it.each([
    ['shown to another site', { origin: 'https://evil.example' }],
    ['shown for another name', { rpId: 'evil.example' }],
    ['shown without its person', { verified: false }],
    ['a copy, whose counter is behind', { counter: 1 }],
  ])('lets nobody in that is %s', async (_, change) => {
    const { key } = await withPasskey();
    const { visitor, csrf, challenge } = await asked();
    const response = key.shown(challenge, { counter: 2, ...change });
    expect(await step(visitor, 'sign-in', { csrf, response })).toMatchObject(notAccepted);
    expect((await visitor.send('/ledger')).status).toBe(303);
  });

  it('that nobody knows, or whose answer was used before, lets nobody in', async () => {
    const { key } = await withPasskey();
    const { visitor, csrf, challenge } = await asked();
    const stranger = newAuthenticator(honest).shown(challenge);
    expect(await step(visitor, 'sign-in', { csrf, response: stranger })).toMatchObject(notAccepted);
    const response = key.shown(challenge, { counter: 2 });
    expect((await step(visitor, 'sign-in', { csrf: 'wrong', response })).status).toBe(403);
    expect((await step(visitor, 'sign-in', { csrf, response })).status).toBe(200);
    const again = await asked();
    expect(await step(again.visitor, 'sign-in', { csrf: again.csrf, response })).toMatchObject(notAccepted);
  });

  it('lets its owner in once with one answer, though it counts nothing', async () => {
    const { key } = await withPasskey(0);
    const { visitor, csrf, challenge } = await asked();
    const response = key.shown(challenge);
    expect((await step(visitor, 'sign-in', { csrf, response })).status).toBe(200);
    const again = await asked();
    expect(await step(again.visitor, 'sign-in', { csrf: again.csrf, response })).toMatchObject(notAccepted);
  });

  it('confirms that the owner is there, for this session alone', async () => {
    const { own, key } = await withPasskey();
    const another = await signedIn();
    const challenge = await challengeOf(own, 'confirm', own.csrf);
    const options = await step(own, 'confirm/options', { csrf: own.csrf });
    expect(options).toMatchObject({ allowCredentials: [{ id: key.id }] });
    const response = key.shown(challenge, { counter: 2 });
    expect(await step(another, 'confirm', { csrf: another.csrf, response })).toMatchObject(notAccepted);
    later(10 * MINUTE);
    const again = key.shown(await challengeOf(own, 'confirm', own.csrf), { counter: 2 });
    const proven = await step(own, 'confirm', { csrf: own.csrf, response: again });
    expect(proven).toMatchObject({ confirmed: true });
    // A copy of the cookie from before is worth nothing now, and no other session was proven.
    expect(await owner().session(own.secret)).toBeNull();
    expect((await own.send('/ledger')).status).toBe(200);
    const sessions = (await owner().access()).sessions.filter(({ provenAt }) => provenAt === Date.now());
    expect(sessions).toHaveLength(1);
    expect((await owner().session(another.secret))?.provenAt).toBeLessThan(Date.now());
  });

  it('is removed on the page of connections', async () => {
    const { own, key } = await withPasskey();
    const removed = await own.submit('/connections/passkeys/remove', { csrf: own.csrf, id: key.id });
    expect(removed.status).toBe(303);
    expect(await owner().passkeys()).toEqual([]);
  });
});
