import type { MachineAbout } from '../../contracts/link.ts';
import type { Progress } from '../core/call.ts';
import type { Incoming } from './incoming.ts';

type SqlValue = string | number | null | ArrayBuffer;

/** The part of an object's database that the link needs. Tests put another database in its place. */
export interface LinkSql {
  exec<Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]): { toArray(): Row[] };
}

/** A machine's proven connection. */
export interface LinkSocket {
  /** The number of the machine's connection; 0 before the proof. */
  readonly epoch: number;
  /** Remembers the epoch as long as the socket lives, even while the object sleeps. */
  adopt(epoch: number): void;
  /** No call on this connection has a higher number. */
  readonly numbered: number;
  /** Remembers that as long as the socket lives, even while the object sleeps. */
  number(upTo: number): void;
  send(frame: string | Uint8Array): void;
  close(code: number, reason: string): void;
}

/** The dependencies of the gateway's half of the link. */
export interface LinkPorts {
  readonly sql: LinkSql;
  transaction<T>(act: () => T): T;
  now(): number;
  /** Acts after a time, unless the function that it gives is called first. */
  after(ms: number, act: () => void): () => void;
  /** Lists all proven connections that are still open. */
  sockets(): readonly LinkSocket[];
  /** Asks for a call of `sweep` around that time. */
  wakeWithin(ms: number): void;
  report(error: unknown): void;
}

/** A call on its way to a machine. */
export interface MachineCall {
  readonly id: string;
  readonly tool: string;
  readonly principal: string;
  readonly client: string;
  /** The text of the prepared call. It travels unchanged. */
  readonly text: string;
  readonly digest: string;
  /** The state that the owner saw when they approved the call. */
  readonly seen?: string;
  /** The caller's own reason, for a person whom the machine asks. */
  readonly reason?: string;
  /** True if the call changes something, so that it must never run twice. */
  readonly effect: boolean;
  readonly timeoutMs: number;
  /** The time to wait for the result before the answer is `running`. */
  readonly holdMs?: number;
}

/** The state of a call when its caller gets an answer. */
export type CallAnswer =
  | { readonly kind: 'result'; readonly isOk: boolean; readonly body: Uint8Array }
  | { readonly kind: 'stream'; readonly isOk: boolean; readonly incoming: Incoming }
  /** A result that is too long to hand over whole. It is read from the database. */
  | { readonly kind: 'stored'; readonly isOk: boolean; readonly total: number }
  | { readonly kind: 'offline'; readonly since: number | null }
  /** The owner shut the machine out. */
  | { readonly kind: 'revoked' }
  | { readonly kind: 'running' }
  | { readonly kind: 'unknown' }
  /** The call certainly did not run. */
  | { readonly kind: 'not_run'; readonly why: 'asked' | 'busy' | 'draining' | 'disk' }
  /** The id belongs to another call. */
  | { readonly kind: 'conflict' };

/** The receiver of a call's answer. It is called once. */
export interface Heard {
  answer(answer: CallAnswer): void;
  progress(update: Progress): void;
}

export interface Arrival {
  readonly protocol: number;
  readonly journal: string;
  /** The connection that the machine stored last. Machines of an older version do not say. */
  readonly epoch?: number | undefined;
  /** True if the machine's journal lies elsewhere than before, so that calls may be missing in it. */
  readonly moved?: boolean | undefined;
  readonly about: MachineAbout;
  /** What keeps commands apart on it. Machines of an older version do not say. */
  readonly sandbox?: string | undefined;
}
