import type { Caller } from '../core/call.ts';
import { JsonRefused, MAX_DEPTH, parseStrictJson } from '../core/json.ts';
import type { Tool } from '../core/tools.ts';
import { BodyTooLarge, MAX_BODY_BYTES, readBody } from '../http/body.ts';
import { ListCache } from './list-cache.ts';
import type { McpHandler, McpHttpOffer, McpHttpOptions } from './mcp-handler.ts';
import { byName } from './mcp-offers.ts';
import { answerPlainly, plainCallIn } from './mcp-plain-calls.ts';

/** JSON-RPC wraps a tool's arguments in two objects: the message and its params. */
const ENVELOPE_DEPTH = 2;

/** Serves MCP over HTTP, both protocol eras on one URL, to callers who have been let in. */
export function mcpOverHttp(offer: McpHttpOffer, options: McpHttpOptions = {}) {
  const { tools, joined, logging, report } = offer;
  const { insufficientScope } = options;
  // Fail at start-up if two offers share a name.
  byName(offer);
  const lists = new ListCache();
  let sdk: Promise<McpHandler> | undefined;
  // The first request that needs the SDK loads it: most calls do not, and no object ever speaks MCP.
  const bySdk: McpHandler = async (request, caller, body) => {
    sdk ??= import('./mcp-handler.ts').then(({ mcpHandler }) => mcpHandler(offer, options));
    return (await sdk)(request, caller, body);
  };

  return async (request: Request, caller: Caller): Promise<Response> => {
    if (request.method !== 'POST' || !isJson(request)) return bySdk(request, caller);
    let body: unknown;
    try {
      body = parseStrictJson(await readBody(request), MAX_DEPTH + ENVELOPE_DEPTH);
    } catch (error) {
      return bodyRefused(error);
    }
    if (Array.isArray(body))
      return rpcError(400, -32600, 'Batches are not accepted; send one message a request.');
    const called = await callIn(body, offer);
    const needed = called?.tool.contract.scope;
    if (called && needed && insufficientScope && !caller.scopes.has(needed)) {
      // The door refuses it like any other call, so it is on record. HTTP adds the way to get the scope.
      await called.tool.call(called.args, caller);
      const challenge = insufficientScope(caller.scopes, needed);
      return rpcError(403, -32600, `This needs the scope ${needed}, which was not granted.`, challenge);
    }
    const plain = logging ? undefined : plainCallIn(request, body, tools);
    if (plain) return answerPlainly(plain, request, caller, report);
    const version = isToolsList(body) ? ((await joined?.list())?.version ?? 0) : 0;
    const key = lists.keyOf(request, body, version, caller.scopes.has('read'));
    const remembered = key && lists.answer(key, body);
    if (remembered) return remembered;
    const response = await bySdk(request, caller, body);
    return key ? lists.keep(key, body, response) : response;
  };
}

function isJson(request: Request): boolean {
  return /^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '');
}

/** Tells whether the answer depends on joined servers. */
function isToolsList(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'tools/list';
}

function bodyRefused(error: unknown): Response {
  if (error instanceof JsonRefused) return rpcError(400, -32700, error.message);
  if (error instanceof BodyTooLarge) {
    return rpcError(413, -32000, `The request body is over ${MAX_BODY_BYTES} bytes.`);
  }
  // The connection broke while the body was being sent, so nobody reads this answer.
  return rpcError(400, -32700, 'The request body could not be read.');
}

function rpcError(status: number, code: number, message: string, challenge?: string): Response {
  const headers: Record<string, string> = challenge ? { 'www-authenticate': challenge } : {};
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
}

/** Finds the tool and the arguments of a message, if it is a call of an existing tool. */
async function callIn(
  body: unknown,
  { tools, joined }: McpHttpOffer,
): Promise<{ tool: Tool; args: unknown } | undefined> {
  const { method, params } = (body ?? {}) as {
    method?: unknown;
    params?: Partial<Record<string, unknown>> | null;
  };
  if (method !== 'tools/call') return undefined;
  const name = String(params?.name);
  const tool = tools.get(name) ?? (await joined?.find(name));
  return tool && { tool, args: params?.arguments };
}
