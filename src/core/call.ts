import type { ContentBlock, InputRequests } from '@modelcontextprotocol/server';
import type { TokenScope } from '../../contracts/contract.ts';
import type { Failure } from './failure.ts';

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** What came back for questions on the retry. */
export interface InputAnswers {
  /** Written by the client, so never to be believed. */
  readonly responses: Readonly<Record<string, unknown>>;
  /** What the handler gave to `ask`: the client can read it, but a changed one never gets here. */
  readonly state?: string;
}

/** Which kinds of question the client says it can put to its user. */
export interface Askable {
  readonly url: boolean;
  readonly form: boolean;
  readonly sampling: boolean;
  readonly roots: boolean;
}

/** The principal of whoever calls without a credential. No token or grant has this name. */
export const ANYBODY = 'anybody';
/** Whose calls those are that the owner makes from the console. */
export const OWNER_PRINCIPAL = 'owner';

/** Who calls, by what, and what that way in can carry. Made by a surface, never from tool arguments. */
export interface Caller {
  readonly principal: string;
  readonly client: string;
  readonly via: 'mcp' | 'rest' | 'stdio' | 'cli';
  readonly scopes: ReadonlySet<TokenScope>;
  readonly signal?: AbortSignal;
  /**
   * Names this request among all that ever were: the same name again is the same request sent again. Left out where
   * requests come one by one, as over HTTP, because each new client counts its requests from 1.
   */
  readonly requestName?: string;
  /** Longest result, in characters, that the client takes whole. */
  readonly maxResultChars?: number;
  readonly askable?: Askable;
  readonly answers?: InputAnswers;
  progress?(update: Progress): void;
  log?(level: LogLevel, data: unknown, logger?: string): void;
}

export interface Extras {
  /** Replaces the text made from the output: images, audio, resources. */
  readonly content?: ContentBlock[];
  /** Goes into the answer's `_meta`, under `dev.bowline/`. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface Success<T = unknown> extends Extras {
  readonly kind: 'ok';
  readonly output: T;
}

export interface Refusal {
  readonly kind: 'failed';
  readonly failure: Failure;
}

export interface Question {
  readonly kind: 'needs_input';
  /** Questions to the person at the client, in MCP's own form (`elicitation/create` and the like). */
  readonly requests: InputRequests;
  readonly state?: string;
}

/** How a call ended, in the form every surface renders. Exceptions never take its place. */
export type Result<T = unknown> = Success<T> | Refusal | Question;
