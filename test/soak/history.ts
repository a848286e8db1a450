import type { ChainEntry } from '../../src/core/chain.ts';
import type { LedgerEntry } from '../../src/gate/ledger.ts';

/** What a client was told of one sending of a call. */
export type Told =
  | { readonly is: 'ok'; readonly output: Record<string, unknown> }
  | { readonly is: 'failed'; readonly code: string; readonly callId?: string }
  /** No answer came, or the client did not wait for one. */
  | { readonly is: 'lost'; readonly why: string };

export interface Attempt {
  readonly at: number;
  readonly until: number;
  readonly key?: string;
  readonly told: Told;
}

/** What a call is to bring about, as it can be looked for afterwards. */
export type Effect =
  | { readonly on: 'memory'; readonly file: string; readonly body: string }
  /** Without `from`, the file is new. */
  | { readonly on: 'file'; readonly path: string; readonly from?: string; readonly to: string }
  | { readonly on: 'mark'; readonly mark: string }
  /** Typed into a lasting terminal, which may end before it runs. */
  | { readonly on: 'typed'; readonly mark: string }
  | { readonly on: 'folder'; readonly path: string };

/** A call as its client knows it, with every sending of it. */
export interface CallRecord {
  /** A word that stands in the arguments of this call and of no other; none where the tool takes none. */
  readonly token?: string;
  readonly tool: string;
  readonly way: string;
  readonly effect?: Effect;
  /** What the owner was to say of it. */
  readonly isRefused: boolean;
  readonly attempts: readonly Attempt[];
}

export interface Fault {
  readonly kind: string;
  readonly at: number;
  readonly until: number;
}

/** A time in which the gateway could write nothing down: its process was ended, or its disk was full. */
export interface Outage {
  readonly is: 'ended' | 'full';
  readonly at: number;
  readonly until: number;
}

/** When the gateway's clock was off, and by how much. */
export interface ClockOff {
  readonly byMs: number;
  readonly at: number;
  readonly until: number;
}

/** All that is left when the load is over, and what happened meanwhile. */
export interface Evidence {
  readonly calls: readonly CallRecord[];
  readonly faults: readonly Fault[];
  readonly outages: readonly Outage[];
  readonly memory: readonly Pick<ChainEntry, 'file' | 'line' | 'body'>[];
  /** What `bowline memory verify` found wrong. */
  readonly chain: readonly string[];
  /** Content of the files below the open folder, and `null` for a folder. */
  readonly files: ReadonlyMap<string, string | null>;
  /** Every line of the file that commands leave their marks in. */
  readonly marks: readonly string[];
  /** Marks of typed lines whose output was seen. */
  readonly seen: ReadonlySet<string>;
  readonly ledger: readonly LedgerEntry[];
  /** Codes of the approvals that the owner gave. */
  readonly approved: ReadonlySet<string>;
  /** Processes of the product that are still there, in words. */
  readonly processes: readonly string[];
  /** Files that should not have been left, and locks that are still held. */
  readonly leftovers: readonly string[];
}

/** One thing that happened to a call. */
export interface Event {
  readonly at: number;
  readonly what: string;
}

/** Something that must not be so. */
export interface Violation {
  readonly kind:
    | 'memory'
    | 'chain'
    | 'file'
    | 'mark'
    | 'ledger'
    | 'approval'
    | 'process'
    | 'leftover'
    | 'answer';
  readonly what: string;
  /** When, if it can be said: what happened around it is shown. */
  readonly at?: number;
  /** The call that it is about. */
  readonly call?: CallRecord;
  /** What happened to that call. */
  readonly story?: readonly Event[];
}

export type Standing = 'done' | 'not_done' | 'unknown';

/** Refusals that are only given by whoever knows that nothing ran. */
const NOT_RUN = new Set([
  'approval_denied',
  'approval_expired',
  'approval_required',
  'denied_by_rule',
  'invalid_input',
  'changed_since_approval',
  'machine_offline',
  'rate_limited',
  'terminal_off',
  'too_many_pending',
  'too_many_of_yours',
  'unauthorized',
  'unknown_machine',
  // The tool's own word that it left everything as it was.
  'file_exists',
  'no_lasting_terminal',
  'not_at_prompt',
  'session_ended',
  'session_exists',
  'session_not_found',
  'string_not_found',
  'too_many_sessions',
  'write_failed',
]);

/** Whether a client may take it that a call had its effect, or that it had none: the last word on each key counts. */
export function standingOf({ attempts }: Pick<CallRecord, 'attempts'>): Standing {
  if (attempts.some(({ told }) => told.is === 'ok')) return 'done';
  const lastWords = new Map(attempts.map(({ key, told }) => [key, told]));
  return [...lastWords.values()].every(isKnownNotRun) ? 'not_done' : 'unknown';
}

export function isKnownNotRun(told: Told): boolean {
  return told.is === 'failed' && NOT_RUN.has(told.code);
}
