const MAX_ENTRIES = 64;
const MAX_KEY_CHARS = 4_096;
const CACHEABLE = new Set(['tools/list', 'prompts/list', 'resources/templates/list', 'server/discover']);

type Message = { readonly id: string | number; readonly method: string; readonly params?: unknown };

/**
 * Remembers the SDK's own answers to requests that ask for a list, so that each distinct question is
 * worked out once an isolate. The key is everything the answer can depend on but the request's id.
 */
export class ListCache {
  readonly #answers = new Map<string, { headers: [string, string][]; before: string; after: string }>();

  /** The key of a request whose answer may be remembered; `undefined` for every other. */
  keyOf(request: Request, body: unknown): string | undefined {
    if (!isMessage(body) || !CACHEABLE.has(body.method)) return undefined;
    const { headers } = request;
    const key = JSON.stringify([
      body.method,
      body.params,
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
    return new Response(known.before + JSON.stringify(body.id) + known.after, { headers: known.headers });
  }

  /** Keeps an answer, if it is a whole result, and hands it on. */
  async keep(key: string, body: unknown, response: Response): Promise<Response> {
    if (response.status !== 200 || !isMessage(body)) return response;
    const text = await response.text();
    const headers: [string, string][] = [...response.headers].filter(([name]) => name !== 'content-length');
    const parts = splitAtId(text, body.id);
    if (parts) {
      if (this.#answers.size >= MAX_ENTRIES) this.#answers.delete(this.#answers.keys().next().value ?? '');
      this.#answers.set(key, { headers, ...parts });
    }
    return new Response(text, { status: response.status, headers });
  }
}

/** Finds the one place where a JSON-RPC result, bare or as the only SSE event, carries the request's id. */
function splitAtId(text: string, id: string | number): { before: string; after: string } | undefined {
  const start = text.startsWith('{') ? 0 : text.indexOf('data: {') + 6;
  const end = text.lastIndexOf('}') + 1;
  if (start < 0 || end <= start || text.slice(start, end).includes('\n')) return undefined;
  const message: unknown = JSON.parse(text.slice(start, end));
  if (typeof message !== 'object' || message === null || !('result' in message) || !('id' in message))
    return undefined;
  if (message.id !== id) return undefined;
  return {
    before: `${text.slice(0, start)}{"jsonrpc":"2.0","id":`,
    after: `,"result":${JSON.stringify(message.result)}}${text.slice(end)}`,
  };
}

function isMessage(body: unknown): body is Message {
  return (
    typeof body === 'object' &&
    body !== null &&
    'method' in body &&
    typeof body.method === 'string' &&
    'id' in body &&
    (typeof body.id === 'string' || typeof body.id === 'number')
  );
}
