import { exports } from 'cloudflare:workers';
import { hello } from '../../contracts/hello.ts';
import { systemClock } from '../../src/core/clock.ts';
import { toolSet } from '../../src/core/tools.ts';
import type { McpHttpOffer, McpHttpOptions } from '../../src/surfaces/mcp-handler.ts';
import { mcpOverHttp } from '../../src/surfaces/mcp-http.ts';
import { sayHello } from '../../src/tools/hello.ts';
import { everyone, WatchedDoor } from '../support/tools.ts';

/** Where the tests' gateway lives, as its configuration names it. */
export const GATEWAY = 'http://localhost';

export const MIB_4 = 4 * 1024 * 1024;

/** Sends a request to the gateway as anybody on the network could. */
export function send(path: string, init: RequestInit = {}): Promise<Response> {
  return exports.default.fetch(new Request(GATEWAY + path, init));
}

/** A body that declares no length and comes in pieces. */
export function chunked(text: string, pieceBytes = 65_536): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + pieceBytes));
      at += pieceBytes;
    },
  });
}

/** The text, followed by as much white space as makes it the given number of bytes. */
export function padded(text: string, bytes: number): string {
  return text + ' '.repeat(bytes - new TextEncoder().encode(text).length);
}

export type Era = '2025' | '2026';

export interface Rpc {
  readonly id?: string | number;
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** What every request of the 2026 protocol says about its client, as `@modelcontextprotocol/client` writes it. */
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Sends one JSON-RPC request in the protocol of either era. */
export function rpc(era: Era, { id = 1, method, params = {} }: Rpc): Promise<Response> {
  const name = typeof params.name === 'string' ? { 'mcp-name': params.name } : {};
  if (era === '2025') return mcp(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  const withEnvelope = { ...params, _meta: { ...(params._meta as object | undefined), ...envelope } };
  return mcp(JSON.stringify({ jsonrpc: '2.0', id, method, params: withEnvelope }), {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...name,
  });
}

/** An MCP endpoint as the gateway makes it, for everyone, let in already. */
export function mcpEndpoint(options: McpHttpOptions = {}, offer: Partial<McpHttpOffer> = {}) {
  const tools = toolSet({ hello }, { hello: sayHello }, new WatchedDoor(), { clock: systemClock });
  const mcp = mcpOverHttp({ tools, ...offer }, options);
  return (request: Request, caller = everyone) => mcp(request, caller);
}

const endpoint = mcpEndpoint();

/** Sends a request to the tests' one MCP endpoint. */
export function sendMcp(init: RequestInit): Promise<Response> {
  return endpoint(new Request(`${GATEWAY}/mcp`, init));
}

/** Posts a body to it. */
export function mcp(body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  return sendMcp({ method: 'POST', body, headers: { ...json, ...headers } });
}

/** Posts a body to a tool over REST. */
export function post(
  tool: string,
  body: BodyInit | null,
  headers: Record<string, string> = {},
): Promise<Response> {
  return send(`/tools/${tool}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

export interface RpcAnswer {
  readonly jsonrpc: string;
  readonly id: string | number | null;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The JSON-RPC message of an answer, whether it came bare or as the only event of a stream. */
export async function messageIn(response: Response): Promise<RpcAnswer> {
  const text = await response.text();
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return JSON.parse(text);
  const events = text.split('\n').filter((line) => line.startsWith('data: '));
  if (events.length !== 1) throw new Error(`expected one event, got ${JSON.stringify(text.slice(0, 200))}`);
  return JSON.parse((events[0] ?? '').slice('data: '.length));
}
