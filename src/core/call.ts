import type { ContentBlock, InputRequests } from '@modelcontextprotocol/server';
import type { Picture, TokenScope } from '../../contracts/contract.ts';
import type { Failure } from './failure.ts';

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** A client's answers to questions, sent with the retry. */
export interface InputAnswers {
  /** The client wrote them, so never believe them. */
  readonly responses: Readonly<Record<string, unknown>>;
  /**
   * The state that the handler gave to `ask`. The client can read it; a changed state is refused before it
   * gets here.
   */
  readonly state?: string;
}

/** The kinds of question that the client says it can put to its user. */
export interface Askable {
  readonly url: boolean;
  readonly form: boolean;
  readonly sampling: boolean;
  readonly roots: boolean;
}

/** The principal of callers without a credential. No token or grant has this name. */
export const ANYBODY = 'anybody';
/** The principal of the owner's calls from the console. */
export const OWNER_PRINCIPAL = 'owner';

/**
 * The caller, their way in, and the limits of that way in. A surface makes it, never from tool arguments.
 */
export interface Caller {
  readonly principal: string;
  readonly client: string;
  /** `owner` is a call that the owner runs with a yes that came when nobody waited for it any more. */
  readonly via: 'mcp' | 'rest' | 'stdio' | 'cli' | 'owner';
  readonly scopes: ReadonlySet<TokenScope>;
  readonly signal?: AbortSignal;
  /**
   * Names this request for all time: the same name again means that the same request was sent again. Left out
   * where a client counts its requests from 1, as over HTTP, because each new client starts at 1 again.
   */
  readonly requestName?: string;
  /** The time in milliseconds that the client says it waits for an answer. */
  readonly waitsMs?: number;
  /** The longest result, in characters, that the client takes whole. */
  readonly maxResultChars?: number;
  readonly askable?: Askable;
  /** True if the client says that it shows cards in its chat. */
  readonly cards?: boolean;
  readonly answers?: InputAnswers;
  /**
   * Asks the person while the call goes on, as 2025 clients are asked. Gives the answers that came before the signal, by
   * the keys of their questions.
   */
  ask?(requests: InputRequests, signal: AbortSignal): Promise<InputAnswers['responses']>;
  /**
   * Present if the caller follows a long call by itself. Then it is not held for the owner, and this learns the id of a
   * call that changes something, once it is on its way to a machine.
   */
  begun?(callId: string): void;
  progress?(update: Progress): void;
  log?(level: LogLevel, data: unknown, logger?: string): void;
}

/** How a model reads an output. */
export interface TextForm {
  /** The paths of its long texts. A model reads them as they are, and all of the output as JSON if there is none. */
  readonly texts: readonly string[];
  /** Keys of facts that a text has as well. */
  readonly saidTwice: ReadonlySet<string>;
}

export interface Extras {
  /** Replaces the text that is made from the output: images, audio, resources. */
  readonly content?: ContentBlock[];
  /** The paths of the output's long texts, if its contract cannot say which they are. */
  readonly texts?: readonly string[];
  /** Follow the text that is made from the output. */
  readonly pictures?: readonly Picture[];
  /** Values for the answer's `_meta`, under `dev.bowline/`. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface Success<T = unknown> extends Extras {
  readonly kind: 'ok';
  readonly output: T;
  /** How a model reads the output; as JSON if it is left out. */
  readonly form?: TextForm;
  /** The JSON of an output that somebody wrote already. It counts for that very output alone. */
  readonly written?: { readonly output: unknown; readonly json: string };
}

/** Writes an output as JSON, unless that was done. An output may be long, and to write it costs a call much of its time. */
export function outputJson({ output, written }: Success): string {
  return written && written.output === output ? written.json : JSON.stringify(output);
}

export interface Refusal {
  readonly kind: 'failed';
  readonly failure: Failure;
  /** The id of the approval that the call waits for. No client sees it. */
  readonly approval?: string;
  /** The same as its caller knows it: the code, and the address of its page at a gateway. */
  readonly waiting?: { readonly code: string; readonly address?: string };
}

export interface Question {
  readonly kind: 'needs_input';
  /** Questions to the person at the client, in MCP's own form (such as `elicitation/create`). */
  readonly requests: InputRequests;
  readonly state?: string;
}

/** The end of a call, in the form that every surface renders. No exception takes its place. */
export type Result<T = unknown> = Success<T> | Refusal | Question;
