import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { vi } from 'vitest';
import type { TokenScope } from '../../../contracts/contract.ts';
import { addressFrom } from '../../../src/owner/address.ts';
import { makeAuth } from '../../../src/owner/auth.ts';
import { SESSION_COOKIE } from '../../../src/owner/cookies.ts';
import { csrfTokenFor } from '../../../src/owner/secrets.ts';
import { GATEWAY, send } from '../http.ts';

export type HeaderFields = Record<string, string>;
type Fields = Record<string, string | readonly string[]>;

export const owner = () => env.OWNER.get(env.OWNER.idFromName('owner'));

/** Runs something over the owner object's own database. */
export function inOwner<T>(act: (sql: SqlStorage) => T): Promise<T> {
  return runInDurableObject(owner(), (_, state) => act(state.storage.sql));
}

/** Has every owner who is signed in have shown just now that it is them, without another cookie. */
export const proveAll = () => inOwner((sql) => void sql.exec('UPDATE session SET proven_at = ?', Date.now()));

/** The gateway's own parts, wired once more: with a memory of their own, as another isolate has. */
export const anotherIsolate = () =>
  makeAuth({
    origin: GATEWAY,
    env,
    ownerKeyHash: undefined,
    addressOf: addressFrom('cf-connecting-ip'),
    owner,
    report: () => undefined,
  });

/** Has one of the owner object's answers fail, as when its store does; `vi.restoreAllMocks` mends it. */
export function breakOwner(method: string): void {
  const real = owner();
  const broken = new Proxy(real, {
    get: (_, name) => {
      if (name === method) return () => Promise.reject(new Error('no such table: SQLITE_ERROR'));
      const act = Reflect.get(real, name) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => act(...args);
    },
  });
  vi.spyOn(env.OWNER, 'get').mockReturnValue(broken);
}

/** Moves every clock forward; `vi.useRealTimers` brings them back. */
export function later(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
}

let addresses = 0;
/** An address nobody has come from before, so that no limit of another test is in the way. */
export const newAddress = () => `2001:db8:0:${(++addresses).toString(16)}::1`;

/** The cookies that a response sets, by name; one that it clears is empty. */
export function cookiesIn(response: Response): Map<string, string> {
  return new Map(
    response.headers.getSetCookie().map((line) => {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

export interface Browser {
  readonly cookies: Map<string, string>;
  send(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a form as a page of the gateway would; `headers` replace what a browser says on its own. */
  submit(path: string, fields: Fields, headers?: HeaderFields): Promise<Response>;
}

/** Somebody's browser: an address, and the cookies it was given. It follows no redirect by itself. */
export function browser(address = newAddress()): Browser {
  const cookies = new Map<string, string>();
  const request = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has('cf-connecting-ip')) headers.set('cf-connecting-ip', address);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    if (cookie && !headers.has('cookie')) headers.set('cookie', cookie);
    const response = await send(path, { ...init, headers, redirect: 'manual' });
    for (const [name, value] of cookiesIn(response)) {
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  const submit = (path: string, fields: Fields, headers: HeaderFields = {}) => {
    const body = new URLSearchParams(
      Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one) => [name, one])),
    );
    const own = { origin: GATEWAY, 'sec-fetch-site': 'same-origin' };
    return request(path, { method: 'POST', body, headers: { ...own, ...headers } });
  };
  return { cookies, send: request, submit };
}

/** Opens the sign-in form and gives the ticket in it. */
export async function ticketOf(visitor: Browser): Promise<string> {
  const html = await (await visitor.send('/signin')).text();
  return /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
}

/** Signs in as a person does: by opening the form and filling it in. */
export async function signInAs(visitor: Browser, key: string, next = ''): Promise<Response> {
  return visitor.submit('/signin', { csrf: await ticketOf(visitor), key, next });
}

export interface OwnerBrowser extends Browser {
  readonly secret: string;
  readonly csrf: string;
  readonly id: string;
}

/** A browser in which the owner is signed in already. */
export async function signedIn(): Promise<OwnerBrowser> {
  const address = newAddress();
  const { secret, session } = await owner().openSession({ method: 'owner_key', agent: 'tests', address });
  const own = browser(address);
  own.cookies.set(SESSION_COOKIE, secret);
  return { ...own, secret, csrf: csrfTokenFor(secret), id: session.id };
}

/** Sends JSON to the owner's API as the command line would: with a session and its CSRF token, and no page. */
export function api(
  { secret, csrf }: OwnerBrowser,
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  const headers = {
    cookie: `${SESSION_COOKIE}=${secret}`,
    'x-csrf-token': csrf,
    'content-type': 'application/json',
    'cf-connecting-ip': newAddress(),
  };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return send(`/api/owner/${path}`, { method, headers, ...(body === undefined ? {} : { body: text }) });
}

/** Makes a personal token, as the owner. */
export async function personalToken(scopes: readonly TokenScope[] = ['read'], days = 1, name = 'script') {
  return owner().createToken({ name, scopes, days });
}
