import { runInDurableObject } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { createHash } from 'node:crypto';
import { expect, vi } from 'vitest';
import type { Scope } from '../../../contracts/contract.ts';
import { makeAuth } from '../../../src/auth/auth.ts';
import { SESSION_COOKIE } from '../../../src/auth/cookies.ts';
import { csrfTokenFor } from '../../../src/auth/secrets.ts';
import { type Era, GATEWAY, send } from '../http.ts';

export const eras: Era[] = ['2025', '2026'];

/** Where the tests' app has codes sent, and the proof that it asked for them. */
export const CALLBACK = 'https://app.example/callback';
export const VERIFIER = 'v'.repeat(64);
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

type HeaderFields = Record<string, string>;
type Fields = Record<string, string | readonly string[]>;

export const owner = () => env.OWNER.get(env.OWNER.idFromName('owner'));

/** Runs something over the owner object's own database. */
export function inOwner<T>(act: (sql: SqlStorage) => T): Promise<T> {
  return runInDurableObject(owner(), (_, state) => act(state.storage.sql));
}

/** The gateway's own parts, wired once more: with a memory of their own, as another isolate has. */
export const anotherIsolate = () =>
  makeAuth({ origin: GATEWAY, env, ownerKeyHash: undefined, owner, report: () => undefined });

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
export const newAddress = () => `2001:db8::${(++addresses).toString(16)}`;

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
export async function personalToken(scopes: readonly Scope[] = ['read'], days = 1, name = 'script') {
  return owner().createToken({ name, scopes, days });
}

/** Registers an app; what is given replaces what an honest one would say. */
export function registration(said: object = {}, address = newAddress()): Promise<Response> {
  const honest = { client_name: 'An app', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' };
  return send('/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'cf-connecting-ip': address },
    body: JSON.stringify({ ...honest, ...said }),
  });
}

export async function registered(said: object = {}): Promise<string> {
  const response = await registration(said);
  expect(response.status).toBe(201);
  return (await response.json<{ client_id: string }>()).client_id;
}

type Asked = Readonly<Record<string, string | undefined>>;

/** Where an app sends the owner; a field that is given as `undefined` is left out. */
export function authorizePath(clientId: string, asked: Asked = {}): string {
  const fields: Asked = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    scope: 'read write machine',
    state: 'the state',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    resource: `${GATEWAY}/mcp`,
    ...asked,
  };
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return `/authorize?${new URLSearchParams(given)}`;
}

export interface Consent {
  readonly html: string;
  readonly handle: string;
  readonly csrf: string;
  /** The cookie that ties this page to its browser. */
  readonly cookie: string;
}

/** Opens the consent page, as the owner who was sent there by an app. */
export async function openConsent(visitor: Browser, clientId: string, asked: Asked = {}): Promise<Consent> {
  const response = await visitor.send(authorizePath(clientId, asked));
  const html = await response.text();
  expect(response.status, html).toBe(200);
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
  const cookie = [...cookiesIn(response).keys()].find((name) => name.startsWith('__Host-oauth-consent'));
  return { html, handle: field('handle'), csrf: field('csrf'), cookie: cookie ?? '' };
}

export function approve(visitor: Browser, { handle, csrf }: Consent, scope: readonly Scope[] = ['read']) {
  return visitor.submit('/authorize', { handle, csrf, scope, decision: 'approve' });
}

/** The code in the answer to an approval. */
export function codeIn(response: Response): string {
  const location = new URL(response.headers.get('location') ?? '', GATEWAY);
  expect(location.origin + location.pathname).toBe(CALLBACK);
  return location.searchParams.get('code') ?? '';
}

/** Asks the token endpoint; an app without a secret says only who it is. */
export function token(fields: Record<string, string>): Promise<Response> {
  const body = new URLSearchParams({ redirect_uri: CALLBACK, code_verifier: VERIFIER, ...fields });
  return send('/oauth/token', { method: 'POST', body });
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly resource: string;
}

export function exchange(clientId: string, code: string, more: Record<string, string> = {}) {
  return token({ grant_type: 'authorization_code', client_id: clientId, code, ...more });
}

export function refresh(clientId: string, refreshToken: string): Promise<Response> {
  return token({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken });
}

/** An app that the owner let in, with all it came away with. */
export async function connectedApp(scopes: readonly Scope[] = ['read'], said: object = {}) {
  const visitor = await signedIn();
  const clientId = await registered(said);
  const code = codeIn(await approve(visitor, await openConsent(visitor, clientId), scopes));
  const response = await exchange(clientId, code);
  expect(response.status).toBe(200);
  return { visitor, clientId, code, ...(await response.json<Tokens>()) };
}

/** What every request of the 2026 protocol says about its client. */
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A call of a tool in the protocol of either era, with whatever proves who calls. */
export function mcpCall(
  era: Era,
  headers: HeaderFields = {},
  { name = 'hello', args = {}, path = '/mcp' } = {},
): Request {
  const params = { name, arguments: args, ...(era === '2026' ? { _meta: envelope } : {}) };
  const of2026 = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  };
  return new Request(GATEWAY + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'cf-connecting-ip': newAddress(),
      ...(era === '2026' ? of2026 : {}),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
}

export const bearer = (secret: string): HeaderFields => ({ authorization: `Bearer ${secret}` });

/** The status with which MCP answers a call of `hello`. */
export async function mcpStatus(era: Era, headers: HeaderFields): Promise<number> {
  const response = await exports.default.fetch(mcpCall(era, headers));
  await response.text();
  return response.status;
}
