import { type Caller, outputJson, type Refusal, type Success } from '../core/call.ts';
import { doorFailure } from '../core/failure.ts';
import { isRecord } from '../core/is-record.ts';
import type { Tool, ToolSet } from '../core/tools.ts';
import { untilAnswered } from './mcp-asking.ts';
import { render, serverInfo } from './mcp-render.ts';
import { BEGIN_MS, type Exchange, eventOf, living, SSE, within } from './mcp-stream.ts';

/** A call that wants only a result, in the protocol of either era. */
interface PlainCall {
  readonly id: string | number;
  readonly tool: Tool;
  readonly args: unknown;
  readonly era: 'modern' | 'legacy';
}

const MODERN = '2026-07-28';
const LEGACY = new Set([null, '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']);
const PROTOCOL = 'io.modelcontextprotocol/';
/** The answer when nobody could be asked: the caller comes back when the owner has decided. */
const needsYes: Refusal = { kind: 'failed', failure: doorFailure('approval_required') };

/**
 * Finds a plain call, as nearly all are: no progress, no log lines, no answers to questions, nobody to ask, and
 * nothing wrong with it. The protocol's SDK judges everything else.
 */
export function plainCallIn(request: Request, body: unknown, tools: ToolSet): PlainCall | undefined {
  if (!isRecord(body) || body.method !== 'tools/call' || body.jsonrpc !== '2.0') return undefined;
  const { id, params } = body;
  if (!(typeof id === 'string' || Number.isSafeInteger(id)) || !hasOnly(body, MESSAGE)) return undefined;
  if (!isRecord(params) || !hasOnly(params, PARAMS) || typeof params.name !== 'string') return undefined;
  const { name, arguments: args, _meta: meta } = params;
  const tool = tools.get(name);
  if (!tool || !(args === undefined || isRecord(args))) return undefined;
  const { headers } = request;
  const accept = headers.get('accept') ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return undefined;
  const version = headers.get('mcp-protocol-version');
  const call = { id: id as string | number, tool, args };
  if (version === MODERN) {
    const isSame = headers.get('mcp-method') === 'tools/call' && headers.get('mcp-name') === name;
    return isSame && isPlainEnvelope(meta) ? { ...call, era: 'modern' } : undefined;
  }
  const isLegacy = LEGACY.has(version) && (meta === undefined || (isRecord(meta) && asksNothing(meta)));
  return isLegacy ? { ...call, era: 'legacy' } : undefined;
}

/** Runs a call and answers a client of either era exactly as the SDK would. The caller's signal ends it. */
export async function answerPlainly(
  call: PlainCall,
  caller: Caller,
  exchange: Exchange,
  report?: (error: unknown, where: string) => void,
): Promise<Response> {
  const { id, tool, args, era } = call;
  const text = untilAnswered(caller, (asked) => tool.call(args, asked)).then(
    (result) => messageOf(call, result.kind === 'needs_input' ? needsYes : result),
    (error: unknown) => {
      report?.(error, 'mcp');
      return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32603, message: 'Internal error' } });
    },
  );
  const early = await within(BEGIN_MS, text, exchange.asides?.first);
  if (early === undefined) {
    // A caller who cancelled the call wants no answer any more.
    const event = text.then((message) => (caller.signal?.aborted ? '' : eventOf(message)));
    return new Response(living(event, exchange), { headers: SSE });
  }
  return era === 'modern'
    ? new Response(early, { headers: { 'content-type': 'application/json' } })
    : new Response(eventOf(early), { headers: SSE });
}

const MESSAGE = new Set(['jsonrpc', 'id', 'method', 'params']);
const PARAMS = new Set(['name', 'arguments', '_meta']);
const CLIENT_INFO = new Set(['name', 'version', 'title', 'websiteUrl', 'description']);

/** Recognises a 2026 client's part of `_meta` without anything that the client could be asked. */
function isPlainEnvelope(meta: unknown): boolean {
  if (!isRecord(meta)) return false;
  const {
    [`${PROTOCOL}protocolVersion`]: version,
    [`${PROTOCOL}clientInfo`]: client,
    [`${PROTOCOL}clientCapabilities`]: can,
    ...rest
  } = meta;
  return version === MODERN && isPlainClient(client) && isRecord(can) && isEmpty(can) && asksNothing(rest);
}

function isPlainClient(client: unknown): boolean {
  if (!isRecord(client) || !hasOnly(client, CLIENT_INFO)) return false;
  if (typeof client.name !== 'string' || typeof client.version !== 'string') return false;
  return Object.values(client).every((value) => typeof value === 'string');
}

/** Recognises a `_meta` that wants no progress and holds nothing unknown of the protocol's. */
function asksNothing(meta: Readonly<Record<string, unknown>>): boolean {
  for (const key in meta) if (key === 'progressToken' || key.startsWith(PROTOCOL)) return false;
  return true;
}

function messageOf({ id, era }: PlainCall, ended: Success | Refusal): string {
  const json = ended.kind === 'ok' ? outputJson(ended) : undefined;
  const said = render(ended, json);
  const { isError, content, structuredContent: _, ...more } = said;
  const rest =
    era === 'modern'
      ? { ...more, resultType: 'complete', _meta: { ...more._meta, [`${PROTOCOL}serverInfo`]: serverInfo } }
      : more;
  if (json === undefined)
    return JSON.stringify({ jsonrpc: '2.0', id, result: { isError, content, ...rest } });
  // Put the output in as the text has it already. Writing it as JSON again would cost as much as the call.
  const before = JSON.stringify({ jsonrpc: '2.0', id, result: { isError, content } }).slice(0, -ENDS.length);
  const after = JSON.stringify(rest);
  return `${before},"structuredContent":${json}${isEmpty(rest) ? '' : `,${after.slice(1, -1)}`}${ENDS}`;
}

const ENDS = '}}';

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}

function hasOnly(object: object, keys: ReadonlySet<string>): boolean {
  for (const key in object) if (!keys.has(key)) return false;
  return true;
}
