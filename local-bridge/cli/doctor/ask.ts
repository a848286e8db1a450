import { networkFailure } from '../../lib/network-failure.ts';

/** The time that a vendor waits for one answer before it gives up. */
export const VENDOR_BUDGET_MS = 10_000;
/** The longest answer to read: longer than any list of tools that a vendor accepts. */
const MAX_CHARS = 8 * 1024 * 1024;

/** The whole answer, or the reason why there is none. */
export type Answer =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Headers;
      readonly text: string;
      /** The body as JSON, or the JSON of its first event; `undefined` if it is neither. */
      readonly json: unknown;
      readonly ms: number;
    }
  | {
      readonly kind: 'nothing';
      readonly why: string;
      readonly code: string;
      readonly ms: number;
      readonly isEncrypted: boolean;
    };

export type Answered = Extract<Answer, { kind: 'answer' }>;

/** Sends one request. */
export type Ask = (url: string, init?: RequestInit) => Promise<Answer>;

/** Makes requests that follow no redirect and wait no longer than a vendor would. */
export function asker(budgetMs: number = VENDOR_BUDGET_MS): Ask {
  return async (url, init = {}) => {
    const began = performance.now();
    const since = () => Math.round(performance.now() - began);
    const signal = AbortSignal.timeout(budgetMs);
    try {
      const response = await fetch(url, { ...init, redirect: 'manual', signal });
      const text = await answerText(response);
      const { status, headers } = response;
      return { kind: 'answer', status, headers, text, json: jsonOf(text), ms: since() };
    } catch (error) {
      const nothing = { kind: 'nothing', ms: since(), isEncrypted: url.startsWith('https:') } as const;
      return {
        ...nothing,
        ...(signal.aborted ? { why: 'no answer in time', code: 'SLOW' } : networkFailure(error)),
      };
    }
  };
}

/** Reads a body, or the first answer of a stream of events. The stream itself may never end. */
async function answerText(response: Response): Promise<string> {
  if (!response.body) return '';
  const isStream = /^text\/event-stream/i.test(response.headers.get('content-type') ?? '');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
    if (text.length > MAX_CHARS || (isStream && eventIn(text) !== undefined)) {
      await reader.cancel();
      return text.slice(0, MAX_CHARS);
    }
  }
}

function jsonOf(text: string): unknown {
  return eventIn(text) ?? parsed(text);
}

/** Finds the first event that answers a request. Progress and log messages may come before it. */
function eventIn(text: string): unknown {
  for (const event of text.split(/\r?\n\r?\n/).slice(0, -1)) {
    const data = event
      .split(/\r?\n/)
      .flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length).trim()] : []))
      .join('\n');
    const message = parsed(data);
    if (typeof message === 'object' && message !== null && ('result' in message || 'error' in message)) {
      return message;
    }
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
