import { createMcpHandler, type McpRequestContext, type ServerEventBus } from '@modelcontextprotocol/server';
import type { Scope, TokenScope } from '../../contracts/contract.ts';
import type { Caller } from '../core/call.ts';
import { type McpOffer, mcpServerFactory } from './mcp.ts';

/** What is offered over HTTP, where every request comes with its caller. */
export type McpHttpOffer = Omit<McpOffer, 'callerOf'>;

export interface McpHttpOptions {
  /** Carries list changes and resource updates between isolates. */
  readonly bus?: ServerEventBus;
  onError?(error: Error): void;
  /** The `WWW-Authenticate` header for a caller who was not granted what a tool needs. */
  insufficientScope?(held: ReadonlySet<TokenScope>, needed: Scope): string;
}

/** Answers a request, whose body may have been read already. */
export type McpHandler = (request: Request, caller: Caller, body?: unknown) => Promise<Response>;

/** The protocol's SDK behind one URL. */
export function mcpHandler(offer: McpHttpOffer, { bus, onError }: McpHttpOptions): McpHandler {
  const handler = createMcpHandler(mcpServerFactory({ ...offer, callerOf: callerIn }), {
    responseMode: 'auto',
    ...(bus ? { bus } : {}),
    ...(onError ? { onerror: onError } : {}),
  });
  return (request, caller, body) =>
    handler.fetch(request, {
      authInfo: authInfoOf(caller),
      ...(body === undefined ? {} : { parsedBody: body }),
    });
}

/** The SDK hands this through untouched; the token itself has no business past the door. */
function authInfoOf(caller: Caller) {
  return { token: '', clientId: caller.client, scopes: [...caller.scopes], extra: { caller } };
}

function callerIn(context: McpRequestContext): Caller {
  const caller = context.authInfo?.extra?.caller;
  if (!caller) throw new Error('An MCP request came in without its caller.');
  return caller as Caller;
}
