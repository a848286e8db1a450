import type { Caller } from '../core/call.ts';
import type { McpOffer } from './mcp.ts';
import type { McpHttpOptions } from './mcp-http.ts';

/**
 * MCP over HTTP, loaded by the first request for it: the objects run the same code in isolates of their own,
 * and none of them speaks it.
 */
export function mcpWhenAsked(offer: Omit<McpOffer, 'callerOf'>, options: McpHttpOptions) {
  let endpoint: ((request: Request, caller?: Caller) => Promise<Response>) | undefined;
  return async (request: Request, caller: Caller): Promise<Response> => {
    if (!endpoint) {
      const { callerIn, mcpOverHttp } = await import('./mcp-http.ts');
      // Another request may have been here meanwhile; one cache of lists is enough.
      endpoint ??= mcpOverHttp({ ...offer, callerOf: callerIn }, options);
    }
    return endpoint(request, caller);
  };
}
