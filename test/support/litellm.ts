import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf } from './web-server.ts';

export const LITELLM_KEY = 'sk-test-key';
export const LITELLM_TOOL = 'web-search';

/** LiteLLM as it answers over HTTP: its checks, its shapes, and the statuses it has for what is wrong. */
export async function answerAsLiteLlm(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const send = (status: number, body: unknown, headers = {}) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
  const fail = (status: number, message: string, type: string | null, param: string | null = null) =>
    send(status, { error: { message, type, param, code: String(status) } });
  const text = await bodyOf(request);
  const tool = decodeURIComponent(/^\/v1\/search\/([^/]+)$/.exec(request.url ?? '')?.[1] ?? '');
  if (request.method !== 'POST' || tool === '') return send(404, { detail: 'Not Found' });
  if (request.headers.authorization !== `Bearer ${LITELLM_KEY}`) {
    return fail(
      401,
      'Authentication Error, Invalid proxy server token passed. Received API Key = sk-...xx',
      'auth_error',
    );
  }
  if (tool !== LITELLM_TOOL)
    return fail(500, `Search tool '${tool}' not found in router.search_tools`, 'None', 'None');
  const { query, max_results: max, ...others } = JSON.parse(text) as Record<string, unknown>;
  if (typeof query !== 'string' || typeof max !== 'number' || Object.keys(others).length > 0) {
    return fail(400, `unexpected body: ${text}`, 'invalid_request_error');
  }
  if (max < 1 || max > 20)
    return fail(400, `max_results must be between 1 and 20, got ${max}`, 'invalid_request_error');
  switch (query) {
    case 'refused words':
      return fail(422, 'The provider rejects this query.', 'invalid_request_error', 'query');
    case 'too often':
      response.setHeader('retry-after', '17');
      return fail(429, 'Rate limit exceeded', 'throttling_error');
    case 'broken page':
      return void response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>');
    case 'wrong page':
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>');
    case 'moved':
      return void response.writeHead(302, { location: 'http://a.org/' }).end();
    case 'slow provider':
      return fail(504, 'litellm.Timeout: Request timed out.', 'timeout_error');
    case 'leaky':
      return fail(500, 'Provider said: bad key sk-abcdef0123456789 for Bearer xyz', null);
    case 'never':
      return undefined;
    case 'odd':
      return send(200, {
        object: 'search',
        results: [
          { url: 'javascript:alert(1)' },
          7,
          null,
          { title: 'x' },
          { url: 'https://a.org/', title: null, snippet: null, date: null },
        ],
      });
    default:
      return send(200, { object: 'search', results: Array.from({ length: max }, (_, i) => found(i)) });
  }
}

/** One result with what LiteLLM adds of its providers' own. */
function found(i: number) {
  return {
    title: i === 0 ? 'Model Context Protocol' : `Result ${i + 1}`,
    url: i === 0 ? 'https://modelcontextprotocol.io/' : `https://example.com/${i + 1}`,
    snippet: i === 0 ? 'An open protocol that connects models to tools and data.' : 'A <b>passage</b>.',
    date: '2026-01-09',
    last_updated: '2026-02-01',
    score: 0.5,
  };
}
