import { type Caller, outputJson, type Question, type Refusal, type Success } from '../core/call.ts';
import { type CallEnd, endedBy, hasLeft } from '../core/call-end.ts';
import { doorFailure } from '../core/failure.ts';
import { isRecord } from '../core/is-record.ts';
import type { Tool, ToolSet } from '../core/tools.ts';
import { askableOf } from './askable.ts';
import { untilAnswered } from './mcp-asking.ts';
import { type Envelope, isId, legacyEnvelope, MODERN, modernEnvelope, SERVER_INFO } from './mcp-envelope.ts';
import { render, serverInfo } from './mcp-render.ts';
import {
  type Asides,
  BEGIN_MS,
  type Exchange,
  eventOf,
  living,
  SSE,
  wholeEvents,
  within,
} from './mcp-stream.ts';
import { declaresTasks } from './tasks.ts';

/** A call that the SDK need not judge, in the protocol of either era. */
interface PlainCall extends Envelope {
  readonly id: string | number;
  readonly tool: Tool;
  readonly args: unknown;
  readonly era: 'modern' | 'legacy';
}

interface PlainPorts {
  readonly caller: Caller;
  /** Ends the call from outside. */
  readonly end: CallEnd;
  readonly exchange: Exchange & { readonly asides: Asides };
  /** Has the SDK put a question to a 2026 client, in the answer to its call. */
  ask(question: Question, caller: Caller): Promise<Response>;
  report?(error: unknown, where: string): void;
}

interface Said {
  readonly text: string;
  readonly status?: number;
}

const LEGACY = new Set([null, '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']);
/** The answer when nobody could be asked: the caller comes back when the owner has decided. */
const needsYes: Refusal = { kind: 'failed', failure: doorFailure('approval_required') };

/**
 * Finds a plain call, as nearly all are: one that brings no answers to questions, and with nothing wrong with it. The
 * protocol's SDK judges everything else.
 */
export function plainCallIn(request: Request, body: unknown, tools: ToolSet): PlainCall | undefined {
  if (!isRecord(body) || body.method !== 'tools/call' || body.jsonrpc !== '2.0') return undefined;
  const { id, params } = body;
  if (!isId(id) || !hasOnly(body, MESSAGE)) return undefined;
  if (!isRecord(params) || !hasOnly(params, PARAMS) || typeof params.name !== 'string') return undefined;
  const { name, arguments: args, _meta: meta } = params;
  const tool = tools.get(name);
  if (!tool || !(args === undefined || isRecord(args))) return undefined;
  const { headers } = request;
  const accept = headers.get('accept') ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return undefined;
  const version = headers.get('mcp-protocol-version');
  if (version === MODERN) {
    const isSame = headers.get('mcp-method') === 'tools/call' && headers.get('mcp-name') === name;
    const envelope = isSame ? modernEnvelope(meta) : undefined;
    // Such a call may be answered with a task.
    if (tool.contract.risk !== 'read_only' && declaresTasks(envelope?.capabilities)) return undefined;
    return envelope && { id, tool, args, era: 'modern', ...envelope };
  }
  const envelope = LEGACY.has(version) ? legacyEnvelope(meta) : undefined;
  return envelope && { id, tool, args, era: 'legacy', ...envelope };
}

/** Made once. To copy headers costs less than to read them from an object. */
const JSON_HEADERS = new Headers({ 'content-type': 'application/json' });

/** Runs a call and answers a client of either era exactly as the SDK would. */
export async function answerPlainly(call: PlainCall, ports: PlainPorts): Promise<Response> {
  const { era } = call;
  const { exchange } = ports;
  const caller = callerOf(call, ports);
  const saying = outcomeOf(call, caller, ports);
  const early = await within(BEGIN_MS, saying, exchange.asides.first, exchange.timer);
  if (early === undefined) {
    // A caller who cancelled the call wants no answer any more.
    const event = saying.then(({ text }) => (hasLeft(caller) ? '' : eventOf(text)));
    return new Response(living(event, exchange), { headers: SSE });
  }
  const { text, status = 200 } = early;
  return era === 'modern'
    ? new Response(text, { status, headers: JSON_HEADERS })
    : wholeEvents(eventOf(text));
}

/** Adds to the caller what this call says of it. */
function callerOf({ era, progressToken, capabilities }: PlainCall, ports: PlainPorts): Caller {
  const { caller, end, exchange } = ports;
  // A 2026 client says with each call what it can be asked, and is asked in the answer.
  const { ask: _, ...unasked } = caller;
  const askable = capabilities && !isEmpty(capabilities) ? { askable: askableOf(capabilities) } : {};
  const asked = era === 'legacy' ? caller : { ...unasked, ...askable };
  if (progressToken === undefined) return endedBy(asked, end);
  const progress: Caller['progress'] = (update) =>
    exchange.asides.say({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken, ...update },
    });
  return endedBy({ ...asked, progress }, end);
}

async function outcomeOf(call: PlainCall, caller: Caller, ports: PlainPorts): Promise<Said> {
  const { id, tool, args, era } = call;
  try {
    const result = await untilAnswered(caller, (asked) => tool.call(args, asked));
    if (result.kind !== 'needs_input') return { text: messageOf(call, result) };
    const isAsked = era === 'modern' && caller.askable && Object.values(caller.askable).includes(true);
    if (!isAsked) return { text: messageOf(call, needsYes) };
    const response = await ports.ask(result, caller);
    return { text: await response.text(), status: response.status };
  } catch (error) {
    ports.report?.(error, 'mcp');
    const text = JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32603, message: 'Internal error' } });
    return { text };
  }
}

const MESSAGE = new Set(['jsonrpc', 'id', 'method', 'params']);
const PARAMS = new Set(['name', 'arguments', '_meta']);

function messageOf({ id, era }: PlainCall, ended: Success | Refusal): string {
  const json = ended.kind === 'ok' ? outputJson(ended) : undefined;
  const said = render(ended, json);
  const { isError, content, structuredContent: _, ...more } = said;
  const rest =
    era === 'modern'
      ? { ...more, resultType: 'complete', _meta: { ...more._meta, [SERVER_INFO]: serverInfo } }
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
