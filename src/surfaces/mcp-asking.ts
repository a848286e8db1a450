import type { InputRequests } from '@modelcontextprotocol/server';
import type { Askable, Caller, Question } from '../core/call.ts';
import { sha256 } from '../core/call-digest.ts';
import { isRecord } from '../core/is-record.ts';
import type { Mail } from './mcp-cancel.ts';
import type { McpSession } from './mcp-session.ts';
import type { Asides } from './mcp-stream.ts';

/** The time for the answers to all questions of one call. */
const ANSWER_MS = 40_000;
/** The most times that one call may ask. */
const MAX_ROUNDS = 8;
const TAKE_MS = 20_000;
/** Longer answers are not passed on: what Bowline asks is answered in one word. */
const MAX_ANSWER_CHARS = 16_384;

type InputRequest = InputRequests[string];

interface AskingPorts {
  readonly principal: string;
  readonly session: McpSession;
  readonly mail: Mail;
  readonly asides: Asides;
}

/** Names a question, and its answer, of this client alone. */
function answerName(principal: string, session: string, id: string | number): string {
  return `answer ${sha256(JSON.stringify([principal, session, id]))}`;
}

/** A client's answer to a question that this server sent. */
interface SentAnswer {
  readonly id: string | number;
  readonly text: string;
}

/** Finds the answer in a message, if it is one. */
export function answerIn(body: unknown): SentAnswer | undefined {
  if (!isRecord(body) || 'method' in body || !('result' in body || 'error' in body)) return undefined;
  const { id, result } = body;
  if (!(typeof id === 'string' || typeof id === 'number')) return undefined;
  // An error means that the client could not ask, so nobody answered.
  return { id, text: isRecord(result) ? JSON.stringify(result) : '' };
}

/** Passes an answer on to the request that asked, wherever that is. Nobody else can take it. */
export async function passOn(
  { id, text }: SentAnswer,
  { principal, session, mail }: Omit<AskingPorts, 'asides'>,
) {
  if (text.length <= MAX_ANSWER_CHARS) await mail.post(answerName(principal, session.name, id), text);
}

/** Asks a 2025 client on the stream of its own call. The answer comes with a request of its own. */
export function asker(ports: AskingPorts): NonNullable<Caller['ask']> {
  return async (requests, signal) => {
    const questions = Object.entries(requests);
    if (!questions.every(([, request]) => canAsk(ports.session.askable, request))) return {};
    const answers = await Promise.all(
      questions.map(async ([key, request]) => {
        const answer = await put(request, signal, ports);
        return answer ? [[key, answer] as const] : [];
      }),
    );
    return Object.fromEntries(answers.flat());
  };
}

/** Puts one question, and waits for its answer until the signal. */
async function put(request: InputRequest, signal: AbortSignal, ports: AskingPorts): Promise<unknown> {
  const { asides } = ports;
  const id = crypto.randomUUID();
  const isPage = request.method === 'elicitation/create' && request.params.mode === 'url';
  const params = isPage ? { ...request.params, elicitationId: id } : request.params;
  const tell = (method: string, about: object) => asides.say({ jsonrpc: '2.0', method, params: about });
  let text: string | undefined;
  const over = Promise.withResolvers<undefined>();
  const end = () => {
    if (text === undefined) tell('notifications/cancelled', { requestId: id, reason: 'No longer needed.' });
    // Some clients wait for the end of the page although they have answered.
    if (isPage) tell('notifications/elicitation/complete', { elicitationId: id });
    over.resolve(undefined);
  };
  asides.say({ jsonrpc: '2.0', id, method: request.method, ...(params ? { params } : {}) });
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  const name = answerName(ports.principal, ports.session.name, id);
  text = await Promise.race([take(ports.mail, name, signal), over.promise]);
  return text ? JSON.parse(text) : undefined;
}

async function take(mail: Mail, name: string, signal: AbortSignal): Promise<string | undefined> {
  while (!signal.aborted) {
    const text = await mail.take(name, TAKE_MS);
    if (text !== null) return text;
  }
  return undefined;
}

function canAsk(askable: Askable, { method, params }: InputRequest): boolean {
  if (method === 'sampling/createMessage') return askable.sampling;
  if (method === 'roots/list') return askable.roots;
  return params.mode === 'url' ? askable.url : askable.form;
}

/** Runs a call again with the answers to what it asks, if its caller can be asked while it goes on. */
export async function untilAnswered<T extends { readonly kind: string }>(
  caller: Caller,
  run: (caller: Caller) => Promise<T | Question>,
): Promise<T | Question> {
  let result = await run(caller);
  if (!caller.ask) return result;
  const time = AbortSignal.timeout(ANSWER_MS);
  const signal = caller.signal ? AbortSignal.any([caller.signal, time]) : time;
  for (let round = 0; round < MAX_ROUNDS && isQuestion(result) && !signal.aborted; round++) {
    const { requests, state } = result;
    const responses = await caller.ask(requests, signal);
    result = await run({ ...caller, answers: { responses, ...(state === undefined ? {} : { state }) } });
  }
  return result;
}

function isQuestion(result: { readonly kind: string }): result is Question {
  return result.kind === 'needs_input';
}
