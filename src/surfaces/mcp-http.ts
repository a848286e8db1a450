import { utf8Bytes } from '../../contracts/bytes.ts';
import type { Caller, Question } from '../core/call.ts';
import { isRecord } from '../core/is-record.ts';
import { JsonRefused, MAX_DEPTH, parseStrictJson } from '../core/json.ts';
import type { Tool } from '../core/tools.ts';
import { BodyTooLarge, MAX_BODY_BYTES, readBody, refuseLongStructure } from '../http/body.ts';
import { bodyLimitOf } from '../http/body-limit.ts';
import { endOf } from '../http/request-end.ts';
import { BodyTooSlow } from '../http/slow-body.ts';
import { ListCache } from './list-cache.ts';
import { answerIn, asker, passOn } from './mcp-asking.ts';
import { cancelledIn, cancelName, cancelNamed, clientIn, untilCancelled } from './mcp-cancel.ts';
import type { McpHandler, McpHttpOffer, McpHttpOptions } from './mcp-handler.ts';
import { byName } from './mcp-offers.ts';
import { answerPlainly, plainCallIn } from './mcp-plain-calls.ts';
import { sessionsSignedWith } from './mcp-session.ts';
import { Asides, alive } from './mcp-stream.ts';

/** JSON-RPC wraps a tool's arguments in two objects: the message and its params. */
const ENVELOPE_DEPTH = 2;

/** The requests with which a client begins, in the protocol of either era. */
const BEGINNINGS = new Set<unknown>(['initialize', 'server/discover']);

/** Serves MCP over HTTP, both protocol eras on one URL, to callers who have been let in. */
export function mcpOverHttp(offer: McpHttpOffer, options: McpHttpOptions = {}) {
  const { tools, joined, logging, report } = offer;
  const { insufficientScope, mail } = options;
  const sessions = offer.stateKey === undefined ? undefined : sessionsSignedWith(offer.stateKey);
  // Fail at start-up if two offers share a name.
  byName(offer);
  const lists = new ListCache();
  const takingMore = [...tools.values()].filter(({ contract }) => contract.limits.bodyBytes !== undefined);
  let sdk: Promise<McpHandler> | undefined;
  // The first request that needs the SDK loads it: most calls do not, and no object ever speaks MCP.
  const bySdk: McpHandler = async (...asked) => {
    sdk ??= import('./mcp-handler.ts').then(({ mcpHandler }) => mcpHandler(offer, options));
    return (await sdk)(...asked);
  };

  return async (sent: Request, known: Caller): Promise<Response> => {
    const request = acceptingBoth(sent);
    const sessionId = request.headers.get('mcp-session-id');
    const sessionOf = () => sessions?.read(sessionId, known.principal);
    const showsCards = options.cards && sessions?.claimsCards(sessionId) && sessionOf()?.cards;
    const caller = showsCards ? { ...known, cards: true } : known;
    if (request.method !== 'POST' || !isJson(request)) return bySdk(endingWith(sent, request), caller);
    let body: unknown;
    let text: string;
    try {
      // Only the body says which tool it calls.
      const limits = takingMore.map((tool) => bodyLimitOf(tool, caller));
      text = await readBody(request, Math.max(MAX_BODY_BYTES, ...limits));
      refuseLongStructure(text);
      body = parseStrictJson(text, MAX_DEPTH + ENVELOPE_DEPTH);
    } catch (error) {
      return bodyRefused(error);
    }
    if (Array.isArray(body))
      return rpcError(400, -32600, 'Batches are not accepted; send one message a request.');
    const called = await callIn(body, offer);
    if (isOver(text, called ? bodyLimitOf(called.tool, caller) : MAX_BODY_BYTES))
      return bodyRefused(new BodyTooLarge());
    const needed = called?.tool.contract.scope;
    if (called && needed && insufficientScope && !caller.scopes.has(needed)) {
      // The door refuses it like any other call, so it is on record. HTTP adds the way to get the scope.
      await called.tool.call(called.args, caller);
      const challenge = insufficientScope(caller.scopes, needed);
      return rpcError(403, -32600, `This needs the scope ${needed}, which was not granted.`, challenge);
    }
    // The list of tools depends on joined servers.
    const version = methodOf(body) === 'tools/list' ? ((await joined?.list())?.version ?? 0) : 0;
    const about = BEGINNINGS.has(methodOf(body)) ? await options.instructions?.(caller) : undefined;
    const key = lists.keyOf(request, body, about ?? version, [
      caller.scopes.has('read'),
      showsCards === true,
    ]);
    const { url, method, headers } = request;
    const toSdk = () => new Request(url, { method, headers, signal: endOf(sent).signal });
    if (key)
      return lists.answer(key, body) ?? lists.keep(key, body, await bySdk(toSdk(), caller, body, about));
    const cancelled = mail && cancelledIn(body);
    if (cancelled !== undefined) {
      const session = sessionOf();
      const said = clientIn(body);
      if (session) await mail?.post(cancelName(caller.principal, session.name, cancelled), '');
      else if (mail && said) await cancelNamed(mail, cancelName(caller.principal, said, cancelled));
      return new Response(null, { status: 202 });
    }
    const answered = mail && answerIn(body);
    if (answered) {
      const session = sessionOf();
      if (session) await passOn(answered, { principal: caller.principal, session, mail });
      return new Response(null, { status: 202 });
    }
    if (methodOf(body) === 'initialize') {
      const response = await bySdk(toSdk(), caller, body, about);
      return sessions && response.ok
        ? withSession(response, sessions.begin(caller.principal, body))
        : response;
    }
    if (methodOf(body) === 'subscriptions/listen') return bySdk(toSdk(), caller, body);
    const gone = endOf(sent);
    const leave = () => gone.abort();
    const watch = (isOver: () => boolean) => {
      const from = sessionOf()?.name ?? clientIn(body);
      const id = isRecord(body) ? body.id : undefined;
      if (!mail || !from || !(typeof id === 'string' || typeof id === 'number')) return;
      const name = cancelName(caller.principal, from, id);
      untilCancelled(mail, name, { isOver, cancel: leave }).catch((error) => report?.(error, 'mcp cancel'));
    };
    const asides = new Asides();
    const session = mail && sessions?.claimsAskable(sessionId) ? sessionOf() : undefined;
    const asking =
      session && mail
        ? {
            askable: session.askable,
            ask: asker({ principal: caller.principal, session, mail, asides }),
          }
        : {};
    const asked = { ...caller, ...asking };
    const exchange = { leave, watch, asides, timer: gone.timer };
    const plain = logging ? undefined : plainCallIn(request, body, tools);
    if (!plain) return alive(bySdk(toSdk(), { ...asked, signal: gone.signal }, body), exchange);
    const ask = (question: Question, from: Caller) => bySdk(toSdk(), from, body, undefined, question);
    return answerPlainly(plain, { caller: asked, end: gone, exchange, ask, ...(report ? { report } : {}) });
  };
}

function withSession(response: Response, id: string): Response {
  const headers = new Headers(response.headers);
  headers.set('mcp-session-id', id);
  return new Response(response.body, { status: response.status, headers });
}

/** Tells if a text is over a limit. Counts bytes only if it may be, because a character takes three bytes at most. */
function isOver(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && utf8Bytes(text) > bytes);
}

/** Gives the same request, whose signal tells everything that ends the one that was sent. */
function endingWith(sent: Request, request: Request): Request {
  return new Request(request, { signal: endOf(sent).signal });
}

/** Lists both forms of answers for a client that accepts anything, because the SDK wants them named. */
function acceptingBoth(request: Request): Request {
  const accept = request.headers.get('accept');
  if (request.method !== 'POST' || (accept !== null && !/(^|,)\s*\*\/\*\s*(;|,|$)/.test(accept)))
    return request;
  const headers = new Headers(request.headers);
  headers.set('accept', 'application/json, text/event-stream');
  return new Request(request, { headers });
}

function isJson(request: Request): boolean {
  return /^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '');
}

function methodOf(body: unknown): unknown {
  return isRecord(body) ? body.method : undefined;
}

function bodyRefused(error: unknown): Response {
  if (error instanceof JsonRefused) return rpcError(400, -32700, error.message);
  if (error instanceof BodyTooLarge) {
    return rpcError(413, -32000, error.message || `The request body is over ${MAX_BODY_BYTES} bytes.`);
  }
  if (error instanceof BodyTooSlow) return rpcError(408, -32000, error.message);
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
