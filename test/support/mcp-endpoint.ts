import type { Scope } from '../../contracts/contract.ts';
import type { McpOffer } from '../../src/surfaces/mcp.ts';
import { mcpOverHttp } from '../../src/surfaces/mcp-http.ts';

/** A JSON-RPC answer, however it was sent. */
export interface Reply {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** An endpoint with this offer, as something to send one request to. */
export function endpoint(offer: Partial<McpOffer>, scopes: readonly Scope[] = ['read']) {
  const mcp = mcpOverHttp({
    tools: new Map(),
    ...offer,
  });
  return async (method: string, params: object = {}, { era = 2026, as = 'ada' } = {}): Promise<Reply> => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    };
    const { name, uri } = params as { name?: string; uri?: string };
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': era === 2026 ? '2026-07-28' : '2025-11-25',
      ...(era === 2026 ? { 'mcp-method': method } : {}),
      ...(era === 2026 && (name ?? uri) ? { 'mcp-name': name ?? uri ?? '' } : {}),
    };
    const body = { jsonrpc: '2.0', id: 1, method, params: era === 2026 ? { ...params, _meta } : params };
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const caller = { principal: as, client: 'test', via: 'mcp', scopes: new Set(scopes) } as const;
    const response = await mcp(request, caller);
    const text = await response.text();
    return JSON.parse(text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}'));
  };
}

/** Long enough to sign with. */
export const stateKey = 'a key of more than thirty-two bytes, for tests';
