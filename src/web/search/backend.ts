import type { FailureDetail } from '../../core/failure.ts';
import type { Fetch } from '../guarded-fetch.ts';
import type { ServiceAnswer } from '../service.ts';

/** The part of the Worker's AI binding that is used here. */
export interface AiBinding {
  websearch(request: { gatewayId: string; query: string; limit?: number }): Promise<Response>;
}

interface SearchQuery {
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
  /** Something else that the caller should know, such as that fewer results were asked for. */
  readonly note?: string;
}

export interface NotFound extends FailureDetail {
  readonly kind: 'failed';
  readonly code: 'invalid_query' | 'upstream_failure' | 'timeout' | 'not_configured';
}

export type Search = (query: SearchQuery) => Promise<Found | NotFound>;

/** The owner's settings, as environment variables of the gateway or of the computer. */
export interface SearchSettings {
  /** `litellm`, `searxng` or `cloudflare`. If left out, the first one with settings. */
  readonly SEARCH_BACKEND?: string | undefined;
  readonly LITELLM_URL?: string | undefined;
  readonly LITELLM_KEY?: string | undefined;
  /** The tool's name in LiteLLM's `search_tools`. */
  readonly LITELLM_SEARCH_TOOL?: string | undefined;
  readonly SEARXNG_URL?: string | undefined;
  /** The AI Gateway that pays for Cloudflare's web search. */
  readonly AI_GATEWAY_ID?: string | undefined;
}

export interface SearchPorts {
  /** Goes where the settings say, which may be inside. Never goes to an address from a model. */
  readonly fetch: Fetch;
  readonly ai?: AiBinding | undefined;
}

/** A backend's time. It is less than the tool's own, so that the answer can name the slow backend. */
export const SEARCH_TIMEOUT_MS = 15_000;

/** Makes a search that fails until somebody makes a setting. */
export function unset(suggestion: string): Search {
  return async () => ({ kind: 'failed', code: 'not_configured', suggestion });
}

/** Explains that a backend gave no answer at all. */
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
