import * as z from 'zod';
import { complaintOf } from '../../core/error-text.ts';
import { askService, below, jsonIn, retryAfterOf, type ServiceAnswer } from '../service.ts';
import {
  type NotFound,
  SEARCH_TIMEOUT_MS,
  type Search,
  type SearchPorts,
  type SearchSettings,
  unanswered,
  unset,
} from './backend.ts';
import { resultsFrom } from './results.ts';

/** LiteLLM's limit. A greater number is an error there. */
const MAX_RESULTS = 20;

const answerShape = z.object({ results: z.array(z.unknown()) });
const errorShape = z.object({ error: z.object({ message: z.string().catch('') }) });

/** Searches with `/v1/search/{tool}` of the owner's LiteLLM. */
export function liteLlmSearch(settings: SearchSettings, { fetch }: SearchPorts): Search {
  const { LITELLM_URL, LITELLM_KEY: key, LITELLM_SEARCH_TOOL: tool } = settings;
  if (!LITELLM_URL) return unset('Set LITELLM_URL to the address of LiteLLM.');
  if (!tool) return unset('Set LITELLM_SEARCH_TOOL to the name of one of the `search_tools` of LiteLLM.');
  // Most programs want the base with `/v1`, so people write it here too.
  const base = LITELLM_URL.replace(/\/v1\/?$/, '');
  const url = below(base, `/v1/search/${encodeURIComponent(tool)}`);
  if (!url) return unset('LITELLM_URL is not an http or https address; set it to one.');
  return async ({ query, maxResults, signal }) => {
    const max = Math.min(maxResults, MAX_RESULTS);
    const json = { query, max_results: max };
    const answer = await askService({ url, key, json, timeoutMs: SEARCH_TIMEOUT_MS, signal }, fetch);
    if (answer.kind === 'silent') return unanswered('LiteLLM', answer);
    if (answer.status !== 200) return refusalOf(answer, tool);
    const parsed = answerShape.safeParse(jsonIn(answer.text));
    const results = parsed.success ? resultsFrom(parsed.data.results, max) : undefined;
    if (!results) {
      return failed(
        'upstream_failure',
        'LiteLLM answered with something that is not a search result.',
        WRONG_ADDRESS,
      );
    }
    const note = `LiteLLM gives at most ${MAX_RESULTS} results; ${maxResults} were asked for.`;
    return { kind: 'found', results, ...(maxResults > MAX_RESULTS ? { note } : {}) };
  };
}

const WRONG_ADDRESS = 'Check that LITELLM_URL is the address of LiteLLM itself, version 1.78.7 or newer.';

function refusalOf(
  { status, headers, text }: Extract<ServiceAnswer, { kind: 'answered' }>,
  tool: string,
): NotFound {
  const parsed = errorShape.safeParse(jsonIn(text));
  const said = parsed.success ? parsed.data.error.message : '';
  const told = said ? `: ${complaintOf(said)}` : ` with HTTP ${status}.`;
  if (status === 400 || status === 422) return failed('invalid_query', `LiteLLM refuses the query${told}`);
  if (status === 401 || status === 403) {
    return failed(
      'upstream_failure',
      `LiteLLM refuses the key${told}`,
      'Set LITELLM_KEY to a key that may search.',
    );
  }
  if (status === 429) {
    const retryAfter = retryAfterOf(headers, Date.now());
    const detail = failed('upstream_failure', `LiteLLM is asked too often${told}`, 'Try again later.');
    return retryAfter === undefined ? detail : { ...detail, retryAfter };
  }
  if (status === 408 || status === 504)
    return failed('timeout', `LiteLLM gave up waiting for the search${told}`);
  // LiteLLM has no better status for an unknown tool.
  if (status >= 500 && /search tool .{0,64} not found/i.test(said)) {
    return failed(
      'upstream_failure',
      `LiteLLM has no search tool called ${JSON.stringify(tool)}.`,
      'Set LITELLM_SEARCH_TOOL to a name that its `search_tools` has.',
    );
  }
  if (!said && (status === 404 || (status >= 300 && status < 400))) {
    return failed(
      'upstream_failure',
      `LiteLLM has no search at that address (HTTP ${status}).`,
      WRONG_ADDRESS,
    );
  }
  return failed('upstream_failure', `LiteLLM failed${told}`);
}

function failed(code: NotFound['code'], message: string, suggestion?: string): NotFound {
  return { kind: 'failed', code, message, ...(suggestion ? { suggestion } : {}) };
}
