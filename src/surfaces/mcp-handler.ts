import {
  createMcpHandler,
  type McpRequestContext,
  type ProtocolError,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import type { Scope, TokenScope } from '../../contracts/contract.ts';
import type { Caller, Question } from '../core/call.ts';
import { isRecord } from '../core/is-record.ts';
import { callTasks, type TaskPorts } from './call-tasks.ts';
import { type CardPorts, cardOffer } from './card-calls.ts';
import { type McpOffer, mcpServerFactory } from './mcp.ts';
import type { Mail } from './mcp-cancel.ts';
import { refusedNews } from './mcp-tasks.ts';

/** The offer over HTTP, where every request comes with its caller. */
export type McpHttpOffer = Omit<McpOffer, 'callerOf' | 'instructionsOf' | 'endedOf'>;

export interface McpHttpOptions {
  /** Carries list changes and resource updates between isolates. */
  readonly bus?: ServerEventBus;
  /** Reaches a request of the same client that may be in another isolate. */
  readonly mail?: Mail;
  /** What makes tasks of calls that wait for the owner or run long. */
  readonly followed?: TaskPorts;
  /** What it takes to show cards in the chats of clients that can. */
  readonly cards?: CardPorts;
  /** Writes what a client that begins is to tell its model about this server. */
  instructions?(caller: Caller): Promise<string>;
  /** Gives the `WWW-Authenticate` header for a caller who lacks a scope that a tool needs. */
  insufficientScope?(held: ReadonlySet<TokenScope>, needed: Scope): string;
}

/** Answers a request. Its body may have been read already. */
export type McpHandler = (
  request: Request,
  caller: Caller,
  body?: unknown,
  instructions?: string,
  /** How the call in the body ended already. */
  ended?: Question,
) => Promise<Response>;

/** Puts the protocol's SDK behind one URL. */
export function mcpHandler(given: McpHttpOffer, { bus, followed, cards }: McpHttpOptions): McpHandler {
  const offer = {
    ...given,
    ...(followed ? { tasks: callTasks(followed) } : {}),
    ...(cards ? { cards: cardOffer(cards) } : {}),
  };
  const { malformed } = offer;
  const handler = createMcpHandler(
    mcpServerFactory({ ...offer, callerOf: callerIn, instructionsOf: instructionsIn, endedOf: endedIn }),
    {
      responseMode: 'auto',
      ...(bus ? { bus } : {}),
      ...(malformed ? { onerror: malformed } : {}),
    },
  );
  return async (request, caller, body, instructions, ended) => {
    const refused = offer.tasks && refusedNews(body);
    if (refused) return errorResponse(refused, body);
    return handler.fetch(request, {
      authInfo: authInfoOf(caller, { instructions, ended }),
      ...(body === undefined ? {} : { parsedBody: body }),
    });
  };
}

function errorResponse({ code, message, data }: ProtocolError, body: unknown): Response {
  const id = isRecord(body) ? body.id : null;
  return Response.json({ jsonrpc: '2.0', id, error: { code, message, data } }, { status: 400 });
}

/** Packs the caller for the SDK, which passes it on unchanged. The token itself stays outside. */
function authInfoOf(caller: Caller, more: { instructions: string | undefined; ended: Question | undefined }) {
  return { token: '', clientId: caller.client, scopes: [...caller.scopes], extra: { caller, ...more } };
}

function endedIn(context: McpRequestContext): Question | undefined {
  return context.authInfo?.extra?.ended as Question | undefined;
}

function instructionsIn(context: McpRequestContext): string | undefined {
  const text = context.authInfo?.extra?.instructions;
  return typeof text === 'string' ? text : undefined;
}

function callerIn(context: McpRequestContext): Caller {
  const caller = context.authInfo?.extra?.caller;
  if (!caller) throw new Error('An MCP request came in without its caller.');
  return caller as Caller;
}
