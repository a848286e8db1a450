import { isWithin } from '../core/clock.ts';
import type { Sql } from '../storage/sql.ts';
import { type LastRow, rowOf, writeCall, writeEnd } from './calls.ts';
import type { GateCall, GateEnd, NotedRead, OpenRead } from './messages.ts';

/** The time between two looks for reads that go on. A read without a row is younger than two of them. */
const LOOK_MS = 100;
/** More reads at once get their rows before they run, like all other calls. */
const MAX_NOTED = 256;
/** The most reads to remember that have a row and no end. The ledger itself tells of others. */
const MAX_BEGUN = 1_000;

interface NotedReadsPorts {
  after(ms: number, work: () => void): void;
  /** Writes in a transaction what `write('old')` writes. */
  writeOld(): void;
  /** Counts a read that somebody else let in towards its limit. */
  counted(call: GateCall, at: number): void;
}

interface Noted {
  readonly call: GateCall;
  readonly at: number;
}

/**
 * Remembers plain reads that were let in, so that one row and one commit record a read with its end. A read that goes
 * on gets its row meanwhile. If this memory is lost, whoever made the call still knows it, and its end brings it.
 */
export class NotedReads {
  /** Names this memory. Another object, or the same one after its death, has another name. */
  readonly life: string = crypto.randomUUID();
  readonly #sql: Sql;
  readonly #ports: NotedReadsPorts;
  readonly #noted = new Map<string, Noted>();
  /** The numbers of reads that have a row and no end. */
  readonly #begun = new Map<string, number>();
  /** What a transaction wrote that may still fail. */
  #written: [callId: string, read: Noted][] = [];
  /** The row that was written last, as long as nobody else writes. */
  #last: LastRow | undefined;
  #isWatching = false;
  /** A number that the ledger has reached. */
  #reached: number | undefined;

  constructor(sql: Sql, ports: NotedReadsPorts) {
    this.#sql = sql;
    this.#ports = ports;
  }

  get isFull(): boolean {
    return this.#noted.size >= MAX_NOTED;
  }

  get isEmpty(): boolean {
    return this.#noted.size === 0;
  }

  note(call: GateCall, at: number): NotedRead {
    this.#noted.set(call.callId, { call, at });
    this.#watch();
    this.#reached ??= lastSeq(this.#sql);
    return { by: this.life, at, after: this.#reached };
  }

  /** Writes the rows of reads, of all or of those that have gone on for a while. Their ends follow. */
  write(which: 'all' | 'old' = 'all', now = Date.now()): void {
    this.#last = undefined;
    for (const [callId, read] of this.#noted) {
      if (which === 'old' && isWithin(LOOK_MS, read.at, now)) return;
      this.#begin(callId, read);
    }
  }

  /** Remembers reads that a memory before this one had let in, unless they have their row. */
  take(reads: readonly OpenRead[]): NotedRead[] {
    return reads.map((read) => {
      const { call, noted, end } = read;
      if (noted.by === this.life) return noted;
      this.#last = undefined;
      if (end) this.#endElsewhere(call, noted, end);
      const seq = rowOf(this.#sql, call.callId, noted.after);
      if (seq !== undefined) {
        this.#remember(call.callId, seq);
        return { ...noted, by: this.life };
      }
      this.#ports.counted(call, noted.at);
      return this.note(call, noted.at);
    });
  }

  /** Records the ends of reads. Rows follow the clock, so reads that came before these get theirs too. */
  end(ended: readonly OpenRead[]): void {
    this.#last = undefined;
    const here = new Map<string, GateEnd>();
    for (const { call, noted, end } of ended) {
      if (end === undefined) continue;
      if (this.#noted.has(call.callId)) here.set(call.callId, end);
      else this.#endElsewhere(call, noted, end);
    }
    for (const [callId, read] of this.#noted) {
      if (here.size === 0) return;
      const end = here.get(callId);
      here.delete(callId);
      if (end) this.#row(callId, read, end);
      else this.#begin(callId, read);
    }
  }

  /** Runs a transaction. If it fails, what it was to write is remembered again. */
  keepIfFailed<T>(transaction: () => T): T {
    this.#written = [];
    try {
      return transaction();
    } catch (error) {
      const later = [...this.#noted];
      this.#noted.clear();
      for (const [callId, read] of [...this.#written, ...later]) this.#noted.set(callId, read);
      for (const [callId] of this.#written) this.#begun.delete(callId);
      this.#reached = undefined;
      throw error;
    } finally {
      this.#written = [];
    }
  }

  #begin(callId: string, read: Noted): void {
    this.#remember(callId, this.#row(callId, read));
  }

  #remember(callId: string, seq: number): void {
    if (this.#begun.size >= MAX_BEGUN) this.#begun.clear();
    this.#begun.set(callId, seq);
  }

  #row(callId: string, read: Noted, end?: GateEnd): number {
    const seq = writeCall(this.#sql, read.call, LET_IN, read.at, end, this.#last);
    this.#last = { seq, at: read.at };
    this.#reached = seq;
    this.#noted.delete(callId);
    this.#written.push([callId, read]);
    return seq;
  }

  /** Records the end of a read that has its row already, or that only its caller still knows. */
  #endElsewhere(call: GateCall, noted: NotedRead, end: GateEnd): void {
    const { callId } = call;
    const seq = this.#begun.get(callId) ?? rowOf(this.#sql, callId, noted.after);
    this.#begun.delete(callId);
    if (seq === undefined) {
      this.#ports.counted(call, noted.at);
      this.#row(callId, { call, at: noted.at }, end);
    } else writeEnd(this.#sql, seq, end);
  }

  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#ports.after(LOOK_MS, () => {
      this.#isWatching = false;
      this.#ports.writeOld();
      if (this.#noted.size > 0) this.#watch();
    });
  }
}

const LET_IN = { counted: true, decision: 'allowed', because: 'needs no approval' } as const;

function lastSeq(sql: Sql): number {
  const [last] = sql.exec<{ seq: number }>('SELECT seq FROM call ORDER BY seq DESC LIMIT 1').toArray();
  return last?.seq ?? 0;
}
