import type { MachineAbout } from '../../contracts/link.ts';
import type { Progress } from '../core/call.ts';
import type { Incoming } from './incoming.ts';

type SqlValue = string | number | null | ArrayBuffer;

/** As much of an object's database as the link needs; elsewhere another database can stand in for it. */
export interface LinkSql {
  exec<Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]): { toArray(): Row[] };
}

/** A machine's proven connection. */
export interface LinkSocket {
  /** Which connection of the machine it is; 0 before it has become one. */
  readonly epoch: number;
  /** Remembers the epoch for as long as the socket lives, this object's sleep included. */
  adopt(epoch: number): void;
  send(frame: string | Uint8Array): void;
  close(code: number, reason: string): void;
}

/** What the gateway's half of the link works with. */
export interface LinkPorts {
  readonly sql: LinkSql;
  transaction<T>(act: () => T): T;
  now(): number;
  /** Acts after a time, unless it is told not to. */
  after(ms: number, act: () => void): () => void;
  /** All proven connections that are still open. */
  sockets(): readonly LinkSocket[];
  /** Asks for `sweep` to be called about then. */
  wakeWithin(ms: number): void;
  report(error: unknown): void;
}

/** A call on its way to a machine. */
export interface MachineCall {
  readonly id: string;
  readonly tool: string;
  readonly principal: string;
  readonly client: string;
  /** The call as it was prepared, which travels as it is. */
  readonly text: string;
  readonly digest: string;
  /** The state that the owner saw when they approved it. */
  readonly seen?: string;
  /** Whether it changes something, and so must never run twice. */
  readonly effect: boolean;
  readonly timeoutMs: number;
}

/** How a call stands when its caller is answered. */
export type CallAnswer =
  | { readonly kind: 'result'; readonly isOk: boolean; readonly body: Uint8Array }
  | { readonly kind: 'stream'; readonly isOk: boolean; readonly incoming: Incoming }
  /** Too long to hand over whole; to be read from the database. */
  | { readonly kind: 'stored'; readonly isOk: boolean; readonly total: number }
  | { readonly kind: 'offline'; readonly since: number | null }
  /** Its owner shut the machine out. */
  | { readonly kind: 'revoked' }
  | { readonly kind: 'running' }
  | { readonly kind: 'unknown' }
  /** Known not to have run. */
  | { readonly kind: 'not_run'; readonly why: 'asked' | 'busy' | 'draining' | 'disk' }
  /** The id belongs to another call. */
  | { readonly kind: 'conflict' };

/** Who waits for a call; answered once. */
export interface Heard {
  answer(answer: CallAnswer): void;
  progress(update: Progress): void;
}

export interface Arrival {
  readonly journal: string;
  readonly about: MachineAbout;
}
