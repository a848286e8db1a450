import * as z from 'zod';
import { readBody } from '../body.ts';
import { jsonIn } from '../service.ts';
import {
  type AiBinding,
  type NotFound,
  SEARCH_TIMEOUT_MS,
  type Search,
  type SearchPorts,
  type SearchSettings,
  unanswered,
  unset,
} from './backend.ts';
import { resultsFrom } from './results.ts';

/** Cloudflare's most results. */
const MAX_RESULTS = 20;
const MAX_ANSWER_BYTES = 2_000_000;

const list = z.array(z.unknown());
/** The answer of the binding, of the REST interface with or without its envelope, or of the older beta. */
const shape = z.union([
  z.object({ results: list }).transform(({ results }) => results),
  z.object({ items: list }).transform(({ items }) => items),
  z.object({ result: z.object({ results: list }) }).transform(({ result }) => result.results),
  z.object({ result: z.object({ items: list }) }).transform(({ result }) => result.items),
]);

/** Searches with Cloudflare's own web search. Only a Worker with an AI binding can. */
export function cloudflareSearch({ AI_GATEWAY_ID }: SearchSettings, { ai }: SearchPorts): Search {
  if (!ai)
    return unset(
      'Give the Worker an AI binding called AI in `wrangler.toml`, or set another SEARCH_BACKEND.',
    );
  return async ({ query, maxResults }) => {
    const limit = Math.min(maxResults, MAX_RESULTS);
    const late = Promise.withResolvers<NotFound>();
    const timer = setTimeout(
      () => late.resolve(unanswered('Cloudflare', { kind: 'silent', why: 'timeout' })),
      SEARCH_TIMEOUT_MS,
    );
    const asking = ask(ai, { gatewayId: AI_GATEWAY_ID || 'default', query, limit });
    const answer = await Promise.race([asking, late.promise]);
    clearTimeout(timer);
    if ('kind' in answer) return answer;
    const note = `Cloudflare gives at most ${MAX_RESULTS} results; ${maxResults} were asked for.`;
    return { kind: 'found', results: answer.results, ...(maxResults > MAX_RESULTS ? { note } : {}) };
  };
}

async function ask(ai: AiBinding, request: { gatewayId: string; query: string; limit: number }) {
  const failure = { kind: 'failed', code: 'upstream_failure' } as const;
  const suggestion = 'Check the AI Gateway that AI_GATEWAY_ID names, and its credits.';
  try {
    const response = await ai.websearch(request);
    const body = await readBody(response, { maxBytes: MAX_ANSWER_BYTES });
    const text = body === 'too_large' ? '' : new TextDecoder().decode(body.bytes);
    const parsed = shape.safeParse(jsonIn(text));
    const results = parsed.success ? resultsFrom(parsed.data, request.limit) : undefined;
    if (response.ok && results) return { results };
    return { ...failure, message: `Cloudflare's search failed (HTTP ${response.status}).`, suggestion };
  } catch {
    // The binding throws if the gateway does not exist or the account lacks the product.
    return { ...failure, message: "Cloudflare's search could not be used.", suggestion };
  }
}
