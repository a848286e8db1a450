import type { Caller } from '../../../src/core/call.ts';
import type { Failure } from '../../../src/core/failure.ts';
import { callerNamed } from '../../support/gate-tools.ts';
import { GATEWAY } from '../http.ts';
import type { Rig } from './rig.ts';

/**
 * Everybody who can call: a 2026 client whose person can be led to a page, one that only has forms, one that
 * can ask nobody anything, a 2025 client, plain HTTP, and the command line.
 */
export const ways = ['url', 'form', 'mute', 'old', 'rest', 'cli'] as const;
export type Way = (typeof ways)[number];

/** Those that put a question to the person at the client first. */
export const asking: readonly Way[] = ['url', 'form'];

const ELICITATION: Partial<Record<Way, object>> = { url: { url: {} }, form: {} };

export interface Sent {
  readonly tool?: string;
  /** The arguments, or the very text of them. */
  readonly args?: object | string;
  readonly as?: string;
  readonly client?: string;
  /** What a 2026 client sends back after it was asked. */
  readonly state?: unknown;
  readonly responses?: unknown;
  readonly caller?: Partial<Caller>;
  /** True for an MCP client that asks for no progress, as most do. */
  readonly isQuiet?: true;
}

/** What came back, whichever way it came. */
export type Answer = { readonly progress: readonly number[] } & (
  | { readonly kind: 'ok'; readonly text: string; readonly meta: Readonly<Record<string, unknown>> }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly response?: Response }
  | { readonly kind: 'asked'; readonly params: Record<string, unknown>; readonly state: string }
  | { readonly kind: 'refused'; readonly status: number; readonly code: number; readonly message: string }
);

/** Sends a call of a desk's tool by one of the ways. */
export function sendBy(way: Way, rig: Rig, sent: Sent = {}): Promise<Answer> {
  if (way === 'cli') return byCommandLine(rig, sent);
  return way === 'rest' ? byRest(rig, sent) : byMcp(way, rig, sent);
}

const argsText = ({ args = { path: 'a' } }: Sent) => (typeof args === 'string' ? args : JSON.stringify(args));

async function byCommandLine(rig: Rig, sent: Sent): Promise<Answer> {
  const progress: number[] = [];
  const caller = callerNamed(sent.as ?? 'ada', {
    client: sent.client ?? 'tests',
    progress: (update) => progress.push(update.progress),
    ...sent.caller,
  });
  const result = await rig.tools.get(sent.tool ?? 'desk_write')?.call(JSON.parse(argsText(sent)), caller);
  if (result?.kind === 'failed') return { ...result, progress };
  if (result?.kind !== 'ok') throw new Error(`unexpected ${JSON.stringify(result)}`);
  const { output, meta = {} } = result;
  return { kind: 'ok', text: (output as { text: string }).text, meta, progress };
}

async function byRest(rig: Rig, sent: Sent): Promise<Answer> {
  const response = await rig.rest.request(`${GATEWAY}/tools/${sent.tool ?? 'desk_write'}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: sent.as ?? 'ada',
      'user-agent': sent.client ?? 'tests',
    },
    body: argsText(sent),
  });
  const body: { text: string } & Failure = await response.json();
  if (!response.ok) return { kind: 'failed', failure: body, response, progress: [] };
  return { kind: 'ok', text: body.text, meta: {}, progress: [] };
}

/** The request that an MCP client of that kind sends. */
export function mcpRequest(way: Way, { tool = 'desk_write', ...sent }: Sent = {}): Request {
  const isOld = way === 'old';
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': ELICITATION[way] ? { elicitation: ELICITATION[way] } : {},
  };
  const { state, responses } = sent;
  const rest = {
    name: tool,
    ...(state === undefined ? {} : { requestState: state }),
    ...(responses === undefined ? {} : { inputResponses: responses }),
    _meta: { ...(sent.isQuiet ? {} : { progressToken: 'p' }), ...(isOld ? {} : envelope) },
  };
  // The arguments go in as they are spelt.
  const params = `${JSON.stringify(rest).slice(0, -1)},"arguments":${argsText(sent)}}`;
  return new Request(`${GATEWAY}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(isOld
        ? { 'mcp-protocol-version': '2025-11-25' }
        : { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': tool }),
    },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
  });
}

async function byMcp(way: Way, rig: Rig, sent: Sent): Promise<Answer> {
  const caller = callerNamed(sent.as ?? 'ada', {
    via: 'mcp',
    client: sent.client ?? 'tests',
    ...sent.caller,
  });
  const response = await rig.mcp(mcpRequest(way, sent), caller);
  const text = await response.text();
  const messages = text.startsWith('{')
    ? [JSON.parse(text)]
    : Array.from(text.matchAll(/^data: (.*)$/gm), ([, data = '']) => JSON.parse(data));
  const progress = messages
    .filter(({ method }) => method === 'notifications/progress')
    .map(({ params }) => params.progress);
  const answer = messages.at(-1);
  if (answer.error) return { kind: 'refused', status: response.status, ...answer.error, progress };
  const { result } = answer;
  if (result.resultType === 'input_required') {
    const { approval } = result.inputRequests;
    return { kind: 'asked', params: approval.params, state: result.requestState, progress };
  }
  const meta = result._meta ?? {};
  if (result.isError) return { kind: 'failed', failure: meta['dev.bowline/error'], progress };
  return { kind: 'ok', text: result.structuredContent.text, meta, progress };
}

/** Sends a call, and for a client that asks its person first, goes on as if that person had said to. */
export async function sendOn(way: Way, rig: Rig, sent: Sent = {}): Promise<Answer> {
  const answer = await sendBy(way, rig, sent);
  if (answer.kind !== 'asked') return answer;
  const accepted = { approval: { action: 'accept', content: {} } };
  return sendBy(way, rig, { ...sent, state: answer.state, responses: accepted });
}

/** Has a call asked for by a client that is not held meanwhile: its approval, and the state the client was left with. */
export async function askFor(rig: Rig, sent: Sent = {}, way: Way = 'url') {
  const before = rig.announced.all.length;
  const answer = await sendBy(way, rig, sent);
  if (answer.kind !== 'asked') throw new Error(`expected a question, got ${JSON.stringify(answer)}`);
  return { state: answer.state, ...(await rig.announced.nth(before + 1)) };
}

/** The failure of an answer that has to be one. */
export function failureIn(answer: Answer): Failure {
  if (answer.kind !== 'failed') throw new Error(`expected a failure, got ${JSON.stringify(answer)}`);
  return answer.failure;
}
