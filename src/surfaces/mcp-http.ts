import {
  type AuthInfo,
  createMcpHandler,
  isJsonContentType,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { JsonRefused, MAX_DEPTH, parseStrictJson } from '../core/json.ts';
import { BodyTooLarge, MAX_BODY_BYTES, readBody } from './body.ts';
import { ListCache } from './list-cache.ts';
import { type McpOffer, mcpServerFactory } from './mcp.ts';

/** JSON-RPC wraps a tool's arguments in two objects, the message and its params. */
const ENVELOPE_DEPTH = 2;

export interface McpHttpOptions {
  /** Carries list changes and resource updates between isolates. */
  readonly bus?: ServerEventBus;
  onError?(error: Error): void;
}

/** MCP over HTTP, both protocol eras on one URL. */
export function mcpOverHttp(offer: McpOffer, { bus, onError }: McpHttpOptions = {}) {
  const handler = createMcpHandler(mcpServerFactory(offer), {
    responseMode: 'auto',
    ...(bus ? { bus } : {}),
    ...(onError ? { onerror: onError } : {}),
  });
  const lists = new ListCache();

  return async (request: Request, authInfo?: AuthInfo): Promise<Response> => {
    const auth = authInfo ? { authInfo } : {};
    if (request.method !== 'POST' || !isJsonContentType(request.headers.get('content-type'))) {
      return handler.fetch(request, auth);
    }
    let body: unknown;
    try {
      body = parseStrictJson(await readBody(request), MAX_DEPTH + ENVELOPE_DEPTH);
    } catch (error) {
      return bodyRefused(error);
    }
    if (Array.isArray(body))
      return rpcError(400, -32600, 'Batches are not accepted; send one message a request.');
    const key = lists.keyOf(request, body);
    const remembered = key && lists.answer(key, body);
    if (remembered) return remembered;
    const response = await handler.fetch(request, { ...auth, parsedBody: body });
    return key ? lists.keep(key, body, response) : response;
  };
}

function bodyRefused(error: unknown): Response {
  if (error instanceof JsonRefused) return rpcError(400, -32700, error.message);
  if (error instanceof BodyTooLarge) {
    return rpcError(413, -32000, `The request body is over ${MAX_BODY_BYTES} bytes.`);
  }
  // The connection broke while the body was being sent; nobody is left to read this.
  return rpcError(400, -32700, 'The request body could not be read.');
}

function rpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
