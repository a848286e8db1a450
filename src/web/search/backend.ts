import type { FailureDetail } from '../../core/failure.ts';
import type { Fetch } from '../guarded-fetch.ts';
import type { ServiceAnswer } from '../service.ts';

/** What is used of the Worker's AI binding. */
export interface AiBinding {
  websearch(request: { gatewayId: string; query: string; limit?: number }): Promise<Response>;
}

export interface SearchQuery {
  readonly query: string;
  readonly maxResults: number;
  readonly signal?: AbortSignal;
}

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  readonly date?: string | null;
}

export interface Found {
  readonly kind: 'found';
  readonly results: readonly SearchResult[];
  /** What the caller should know besides, such as that fewer were asked for. */
  readonly note?: string;
}

export interface NotFound extends FailureDetail {
  readonly kind: 'failed';
  readonly code: 'invalid_query' | 'upstream_failure' | 'timeout' | 'not_configured';
}

export type Search = (query: SearchQuery) => Promise<Found | NotFound>;

/** What the owner has set, as environment variables of the gateway or of the computer. */
export interface SearchSettings {
  /** `litellm`, `searxng` or `cloudflare`; left out, the first that is set. */
  readonly SEARCH_BACKEND?: string | undefined;
  readonly LITELLM_URL?: string | undefined;
  readonly LITELLM_KEY?: string | undefined;
  /** The name that LiteLLM's `search_tools` gives it. */
  readonly LITELLM_SEARCH_TOOL?: string | undefined;
  readonly SEARXNG_URL?: string | undefined;
  /** The AI Gateway that Cloudflare's web search is billed through. */
  readonly AI_GATEWAY_ID?: string | undefined;
}

export interface SearchPorts {
  /** Goes where the settings say, which may be inside: never with an address from a model. */
  readonly fetch: Fetch;
  readonly ai?: AiBinding | undefined;
}

/** How long a backend may take: less than the tool's own time, so that the answer names who was slow. */
export const SEARCH_TIMEOUT_MS = 15_000;

/** A search that cannot be made until a setting is. */
export function unset(suggestion: string): Search {
  return async () => ({ kind: 'failed', code: 'not_configured', suggestion });
}

/** What it means that a backend gave no answer at all. */
export function unanswered(name: string, { why }: Extract<ServiceAnswer, { kind: 'silent' }>): NotFound {
  switch (why) {
    case 'timeout':
      return {
        kind: 'failed',
        code: 'timeout',
        message: `${name} did not answer within ${SEARCH_TIMEOUT_MS / 1_000} s.`,
      };
    case 'unreachable':
      return {
        kind: 'failed',
        code: 'upstream_failure',
        message: `${name} cannot be reached.`,
        suggestion: `Check that it runs, and that its address in the settings is right.`,
      };
    case 'too_large':
      return { kind: 'failed', code: 'upstream_failure', message: `${name} sent more than can be read.` };
  }
}
