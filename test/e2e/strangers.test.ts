import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startUp, type Up } from '../support/up.ts';

const WRONG = `bwl_owner_${'U'.repeat(43)}`;
let home: string;
let running: Up;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'bowline-strangers-'));
  running = await startUp({ home });
});
afterAll(async () => {
  await running?.stop();
  rmSync(home, { recursive: true, force: true });
});

const send = (path: string, init: RequestInit = {}) =>
  fetch(running.ready.rest + path, { redirect: 'manual', ...init });

const signIn = (key: string, headers: Record<string, string> = {}) =>
  send('/api/owner/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ key }),
  });

const cookieOf = (response: Response) => response.headers.getSetCookie()[0]?.split(';')[0] ?? '';

/** Sends as many requests as that, a few at a time, and gives their statuses. */
async function flood(count: number, one: (i: number) => Promise<Response>): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i += 20) {
    const some = Array.from({ length: Math.min(20, count - i) }, (_, j) => one(i + j));
    for (const response of await Promise.all(some)) {
      await response.body?.cancel();
      statuses.push(response.status);
    }
  }
  return statuses;
}

it('a page that loads the gateway’s addresses as pictures shuts nobody out', async () => {
  const cookie = cookieOf(await signIn(running.ready.owner_key));
  const picture = { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' } };
  const paths = ['/mcp', '/tools/hello', '/api/owner/access', '/'];
  for (const path of paths) await flood(150, () => send(path, picture));
  for (const path of ['/', '/approvals', '/api/owner/access']) {
    expect((await send(path, { headers: { cookie } })).status, path).toBe(200);
  }
  expect((await send('/signin')).status).toBe(200);
  expect((await signIn(running.ready.owner_key)).status).toBe(200);
  const authorization = `Bearer ${running.ready.token}`;
  expect((await send('/api/mirror', { headers: { authorization } })).status).toBe(200);
});

it('made-up tokens and sessions shut neither the owner nor an app out that was let in', async () => {
  const cookie = cookieOf(await signIn(running.ready.owner_key));
  const made = (i: number) => String(i).padStart(43, 'A');
  const known = { authorization: `Bearer ${running.ready.token}` };
  expect((await send('/api/mirror', { headers: known })).status).toBe(200);
  const tokens = await flood(200, (i) =>
    send('/api/mirror', { headers: { authorization: `Bearer bwl_pat_${made(i)}` } }),
  );
  expect(tokens).toContain(429);
  const sessions = await flood(200, (i) =>
    send('/', { headers: { cookie: `__Host-bowline=bwl_sess_${made(i)}.${'A'.repeat(22)}` } }),
  );
  expect(sessions.at(-1)).toBe(429);
  expect((await send('/', { headers: { cookie } })).status).toBe(200);
  expect((await signIn(running.ready.owner_key)).status).toBe(200);
  expect((await send('/api/mirror', { headers: known })).status).toBe(200);
});

it('wrong keys wait, whatever address they claim to come from, and the right one never does', async () => {
  const claims = (i: number) => ({
    'cf-connecting-ip': `203.0.113.${i}`,
    'x-forwarded-for': `203.0.113.${i}`,
  });
  const statuses: number[] = [];
  for (let i = 0; i < 8; i++) statuses.push((await signIn(WRONG, claims(i))).status);
  expect(statuses).toEqual([403, 403, 403, 403, 403, 429, 429, 429]);
  const right = await signIn(running.ready.owner_key, claims(1));
  expect(right.status).toBe(200);
  expect(await right.json()).toMatchObject({ session: { address: 'local' } });
  // On the page as well.
  const form = await send('/signin');
  const csrf = /name="csrf" value="([^"]+)"/.exec(await form.text())?.[1] ?? '';
  const page = await send('/signin', {
    method: 'POST',
    headers: { cookie: cookieOf(form) },
    body: new URLSearchParams({ csrf, key: running.ready.owner_key }),
  });
  expect([page.status, page.headers.get('location')]).toEqual([303, '/']);
});

/** A body without a declared length, and how much of it was taken. */
function endless(bytes: number) {
  const piece = new Uint8Array(65_536).fill(97);
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent >= bytes) return controller.close();
      sent += piece.byteLength;
      controller.enqueue(piece);
    },
  });
  return { body, sent: () => sent };
}

const OPEN_TO_ANYBODY: readonly (readonly [string, string])[] = [
  ['/oauth/token', 'application/x-www-form-urlencoded'],
  ['/oauth/register', 'application/json'],
  ['/oauth/revoke', 'application/x-www-form-urlencoded'],
  ['/.well-known/oauth-authorization-server', 'application/json'],
  ['/tools/hello', 'application/json'],
  ['/api/pair', 'application/json'],
  ['/api/pair/status', 'application/json'],
  ['/api/memory/witness', 'application/json'],
  ['/api/owner/session', 'application/json'],
  ['/passkeys/sign-in', 'application/json'],
  ['/passkeys/register', 'application/json'],
];
const MIB_60 = 60 * 1024 * 1024;

it.each(OPEN_TO_ANYBODY)('%s takes small bodies alone, and stops reading a large one', async (path, type) => {
  // The runtime closes a connection whose body it did not read to the end; none is kept for the next request.
  const headers = { 'content-type': type, connection: 'close' };
  const declared = await send(path, { method: 'POST', headers, body: 'a'.repeat(65_537) });
  // Which refusal it is, a test without the local runtime says: that one may answer 500 after a body was cut off.
  expect(declared.ok).toBe(false);
  const { body, sent } = endless(MIB_60);
  const init = { method: 'POST', headers, body, duplex: 'half' } as const;
  // The gateway answers while the rest is still on its way: the local runtime may make that a 500, or hang up.
  const isOk = await send(path, init).then(
    (response) => response.ok,
    () => false,
  );
  expect(isOk).toBe(false);
  expect(sent()).toBeLessThan(MIB_60);
});
