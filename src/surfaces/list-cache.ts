import { isRecord } from '../core/is-record.ts';
import { listMeta } from './mcp-envelope.ts';
import { wholeEvents } from './mcp-stream.ts';

const MAX_ENTRIES = 64;
const MAX_KEY_CHARS = 4_096;
const CACHEABLE = new Set(['tools/list', 'prompts/list', 'resources/templates/list', 'server/discover']);

/** An answer, split at the place of its id. */
interface Answer {
  readonly headers: Headers;
  readonly isEvents: boolean;
  readonly before: string;
  readonly after: string;
}

type Message = { readonly id: string | number; readonly method: string; readonly params?: unknown };

/**
 * Remembers the SDK's answers to requests for a list, so that an isolate works each distinct question out once. The
 * key holds everything that the answer can depend on, except the request's id.
 */
export class ListCache {
  readonly #answers = new Map<string, Answer>();

  /**
   * Gives the key of a request whose answer may be remembered until the list's version changes, or the text in it;
   * `undefined` for other requests. `who` holds what the answer depends on in its caller.
   */
  keyOf(
    request: Request,
    body: unknown,
    version: number | string = 0,
    who: readonly boolean[] = [],
  ): string | undefined {
    if (!isMessage(body) || !CACHEABLE.has(body.method)) return undefined;
    const { headers } = request;
    const { id: _, params, ...message } = body;
    const question = isRecord(params)
      ? { ...message, params: { ...params, _meta: listMeta(params._meta) } }
      : { ...message, params };
    const key = JSON.stringify([
      version,
      who,
      question,
      headers.get('accept'),
      headers.get('mcp-protocol-version'),
      headers.get('mcp-method'),
      headers.get('mcp-name'),
    ]);
    return key.length <= MAX_KEY_CHARS ? key : undefined;
  }

  answer(key: string, body: unknown): Response | undefined {
    const known = this.#answers.get(key);
    if (!known || !isMessage(body)) return undefined;
    return withId(known, body.id);
  }

  /** Keeps an answer if it is a whole result, and passes it on. */
  async keep(key: string, body: unknown, response: Response): Promise<Response> {
    if (response.status !== 200 || !isMessage(body)) return response;
    const text = await response.text();
    const headers = new Headers(response.headers);
    headers.delete('content-length');
    const parts = splitAtId(text, body.id);
    if (!parts) return new Response(text, { status: response.status, headers });
    if (this.#answers.size >= MAX_ENTRIES) this.#answers.delete(this.#answers.keys().next().value ?? '');
    const isEvents = headers.get('content-type')?.startsWith('text/event') === true;
    const known = { headers, isEvents, ...parts };
    this.#answers.set(key, known);
    // The first to ask gets the same bytes as everybody after.
    return withId(known, body.id);
  }
}

function withId({ headers, isEvents, before, after }: Answer, id: string | number): Response {
  const text = before + JSON.stringify(id) + after;
  return isEvents ? wholeEvents(text) : new Response(text, { headers });
}

/** Finds the one place where a JSON-RPC result, alone or as the only SSE event, has the request's id. */
function splitAtId(text: string, id: string | number): { before: string; after: string } | undefined {
  const data = text.startsWith('{') ? 0 : text.indexOf('data: {');
  if (data < 0) return undefined;
  const start = text.indexOf('{', data);
  const end = text.lastIndexOf('}') + 1;
  const message = text.slice(start, end).includes('\n') ? undefined : parsed(text.slice(start, end));
  if (typeof message !== 'object' || message === null || !('result' in message) || !('id' in message))
    return undefined;
  if (message.id !== id) return undefined;
  return {
    before: `${text.slice(0, start)}{"jsonrpc":"2.0","id":`,
    after: `,"result":${JSON.stringify(message.result)}}${text.slice(end)}`,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // This is not a result, so pass it on unchanged.
    return undefined;
  }
}

function isMessage(body: unknown): body is Message {
  return (
    typeof body === 'object' &&
    body !== null &&
    'method' in body &&
    typeof body.method === 'string' &&
    'id' in body &&
    (typeof body.id === 'string' || Number.isInteger(body.id))
  );
}
