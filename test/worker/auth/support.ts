import { exports } from 'cloudflare:workers';
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Scope } from '../../../contracts/contract.ts';
import { type Era, GATEWAY, send } from '../http.ts';
import { type Browser, cookiesIn, type HeaderFields, newAddress, signedIn } from './owner.ts';

export * from './owner.ts';

export const eras: Era[] = ['2025', '2026'];

/** Where the tests' app has codes sent, and the proof that it asked for them. */
export const CALLBACK = 'https://app.example/callback';
export const VERIFIER = 'v'.repeat(64);
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

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

/** Milliseconds that something takes. */
export async function timed(work: Promise<unknown>): Promise<number> {
  const began = Date.now();
  await work;
  return Date.now() - began;
}
