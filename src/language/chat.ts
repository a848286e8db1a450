import * as z from 'zod';
import { complaintOf } from '../core/error-text.ts';
import type { FailureDetail } from '../core/failure.ts';
import type { Fetch } from '../web/guarded-fetch.ts';
import { askService, below, jsonIn, retryAfterOf, type ServiceAnswer } from '../web/service.ts';

interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly maxTokens?: number;
  /** 0 unless set: the product asks for facts, not for ideas. */
  readonly temperature?: number;
  /** The time for the whole request, retries included. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface Said {
  readonly kind: 'said';
  readonly text: string;
}

export interface ChatFailure extends FailureDetail {
  readonly kind: 'failed';
  readonly code: 'model_error' | 'timeout';
  readonly message: string;
}

/** Asks a language model. Failures come back as data. */
export type Chat = (request: ChatRequest) => Promise<Said | ChatFailure>;

interface ChatSettings {
  /** The base URL of an OpenAI-compatible service, such as `http://localhost:4000/v1`. */
  readonly base: string;
  readonly key?: string | undefined;
  readonly model: string;
}

interface ChatPorts {
  /**
   * Goes to `base` alone, which the owner has set. Other fetches follow redirects, and one could lead
   * elsewhere.
   */
  readonly fetch: Fetch;
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  now(): number;
}

const ATTEMPTS = 3;
const FIRST_WAIT_MS = 500;
/** A service that asks for a longer wait than this counts as out of use for now. */
const LONGEST_WAIT_MS = 20_000;

const answerShape = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z.union([z.string(), z.array(z.object({ text: z.string().catch('') }))]).nullish(),
        }),
      }),
    )
    .min(1),
});
const errorShape = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });

/** Makes a client for the chat completions of LiteLLM, MLX, OpenAI or any service like them. */
export function chatClient({ base, key, model }: ChatSettings, { fetch, wait, now }: ChatPorts): Chat {
  const root = below(base, '');
  // Most people write the base with its version. Without one, it is version 1.
  const url =
    root && below(root.href, /\/v\d+\/?$/.test(root.pathname) ? '/chat/completions' : '/v1/chat/completions');
  if (!url)
    return async () =>
      failed('model_error', 'The address of the language model is not an http or https address.');
  return async ({ messages, maxTokens, temperature = 0, timeoutMs, signal }) => {
    const deadline = now() + timeoutMs;
    const json = {
      model,
      messages,
      temperature,
      stream: false,
      ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    };
    for (let attempt = 1; ; attempt++) {
      const left = Math.min(deadline - now(), timeoutMs);
      if (left <= 0) return tooLate(timeoutMs);
      const answer = await askService({ url, key, json, timeoutMs: left, signal }, fetch);
      const outcome = answer.kind === 'silent' ? silenceOf(answer, timeoutMs) : outcomeOf(answer, now());
      if (outcome.kind === 'said' || !isWorthAnother(answer) || attempt === ATTEMPTS || signal?.aborted)
        return outcome;
      const asked = outcome.retryAfter === undefined ? undefined : outcome.retryAfter * 1_000;
      const pause = asked ?? FIRST_WAIT_MS * 2 ** (attempt - 1);
      if (pause > LONGEST_WAIT_MS || now() + pause >= deadline) return outcome;
      await wait(pause, signal);
    }
  };
}

function isWorthAnother(answer: ServiceAnswer): boolean {
  if (answer.kind === 'silent') return answer.why === 'unreachable';
  return answer.status === 429 || answer.status === 408 || answer.status >= 500;
}

function silenceOf({ why }: Extract<ServiceAnswer, { kind: 'silent' }>, timeoutMs: number): ChatFailure {
  switch (why) {
    case 'timeout':
      return tooLate(timeoutMs);
    case 'unreachable':
      return failed('model_error', 'The language model cannot be reached.');
    case 'too_large':
      return failed('model_error', 'The language model sent more than can be read.');
  }
}

function outcomeOf(
  { status, headers, text }: Extract<ServiceAnswer, { kind: 'answered' }>,
  now: number,
): Said | ChatFailure {
  const json = jsonIn(text);
  if (status !== 200) {
    const retryAfter = retryAfterOf(headers, now);
    const failure = failed('model_error', `The language model failed (HTTP ${status})${complaintIn(json)}`);
    return retryAfter === undefined ? failure : { ...failure, retryAfter };
  }
  const parsed = answerShape.safeParse(json);
  const [choice] = parsed.success ? parsed.data.choices : [];
  if (!choice) return failed('model_error', 'The language model answered in a form that is not understood.');
  const { content } = choice.message;
  const said = withoutThoughts(
    typeof content === 'string' ? content : (content ?? []).map((part) => part.text).join(''),
  );
  if (choice.finish_reason === 'length') {
    return failed('model_error', 'The language model ran out of room before it was done.');
  }
  if (choice.finish_reason === 'content_filter') {
    return failed('model_error', 'The language model was stopped by its filter.');
  }
  if (said === '') return failed('model_error', 'The language model said nothing.');
  return { kind: 'said', text: said };
}

/** Removes the thoughts that some local models write before their answer. */
function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think>[\s\S]*?<\/think>/, '').trim();
}

function complaintIn(json: unknown): string {
  const parsed = errorShape.safeParse(json);
  if (!parsed.success) return '.';
  const { error } = parsed.data;
  const message = typeof error === 'string' ? error : error.message;
  return `: ${complaintOf(message)}`;
}

function tooLate(timeoutMs: number): ChatFailure {
  return failed('timeout', `The language model did not answer within ${Math.round(timeoutMs / 1_000)} s.`);
}

function failed(code: ChatFailure['code'], message: string): ChatFailure {
  return { kind: 'failed', code, message };
}
