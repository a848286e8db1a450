import * as z from 'zod';
import { askService, below, jsonIn, retryAfterOf } from '../service.ts';
import {
  SEARCH_TIMEOUT_MS,
  type Search,
  type SearchPorts,
  type SearchSettings,
  unanswered,
  unset,
} from './backend.ts';
import { resultsFrom } from './results.ts';

const shape = z.object({
  results: z.array(z.unknown()),
  /** Pairs of an engine and its complaint. */
  unresponsive_engines: z.array(z.unknown()).catch([]),
});

/** Searches with the owner's SearXNG. */
export function searxngSearch({ SEARXNG_URL }: SearchSettings, { fetch }: SearchPorts): Search {
  if (!SEARXNG_URL) return unset('Set SEARXNG_URL to the address of SearXNG.');
  const base = below(SEARXNG_URL, '/search');
  if (!base) return unset('SEARXNG_URL is not an http or https address; set it to one.');
  return async ({ query, maxResults, signal }) => {
    const url = new URL(base);
    url.searchParams.set('q', query);
    url.searchParams.set('format', 'json');
    const answer = await askService({ url, method: 'GET', timeoutMs: SEARCH_TIMEOUT_MS, signal }, fetch);
    if (answer.kind === 'silent') return unanswered('SearXNG', answer);
    const { status, headers, text } = answer;
    const failure = { kind: 'failed', code: 'upstream_failure' } as const;
    if (status === 403) {
      const suggestion =
        'Add `json` to `search.formats` in the settings of SearXNG, and let this address pass its limiter.';
      return { ...failure, message: 'SearXNG does not answer in JSON (HTTP 403).', suggestion };
    }
    if (status === 429) {
      const retryAfter = retryAfterOf(headers, Date.now());
      return {
        ...failure,
        message: 'SearXNG is asked too often.',
        ...(retryAfter === undefined ? {} : { retryAfter }),
      };
    }
    if (status === 400)
      return { kind: 'failed', code: 'invalid_query', message: 'SearXNG refuses the query.' };
    const parsed = shape.safeParse(jsonIn(text));
    if (status !== 200 || !parsed.success) return { ...failure, message: `SearXNG failed (HTTP ${status}).` };
    const results = resultsFrom(parsed.data.results, maxResults) ?? [];
    if (results.length === 0 && parsed.data.unresponsive_engines.length > 0) {
      const suggestion = 'Look at the engines in the preferences of SearXNG.';
      return { ...failure, message: 'None of the engines of SearXNG answered.', suggestion };
    }
    return { kind: 'found', results };
  };
}
