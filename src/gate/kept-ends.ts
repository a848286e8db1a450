import { isWithin } from '../core/clock.ts';
import { errorText, isDiskFull } from '../core/error-text.ts';
import type { CallEnding } from './messages.ts';

/** The end of a call that was let in and has its row. */
type RowEnding = Extract<CallEnding, { readonly seq: number }>;

interface KeptEndsPorts {
  settle(endings: RowEnding[]): Promise<void>;
  /** Keeps work running after its request has gone. */
  later(work: Promise<unknown>): void;
  report(error: unknown, where: string): void;
}

/** The times to wait for the gate to take an end. After them, an end goes with the next call that the gate records. */
const WAITS_MS = [100, 500, 2_000, 5_000];
/** Longer than all of these. A request that ends too early takes its timers with it. */
const WATCH_MS = 15_000;
/** The most requests that wait so at the same time. */
const MAX_WATCHES = 20;
/** The longest time for which one attempt keeps others from trying. */
const TRY_MS = 10_000;
/** The most ends to keep, and the most that they may hold together. */
const MAX_KEPT = 1_000;
const MAX_KEPT_CHARS = 8_000_000;
/** An end that the gate does not take so often, although it takes others, is given up. */
const MAX_TRIES = 20;

interface Kept {
  readonly ending: RowEnding;
  tries: number;
}

/**
 * Records the ends of calls that change something, and keeps those that the gate could not take, as when its disk is full,
 * until it takes them. They never travel with a call: an end that the gate refuses must not make the call fail.
 */
export class KeptEnds {
  readonly #ports: KeptEndsPorts;
  /** By the number of the call. */
  readonly #kept = new Map<number, Kept>();
  /** When each request began to wait. */
  readonly #watches = new Set<{ readonly since: number }>();
  #chars = 0;
  #tryingSince: number | undefined;

  constructor(ports: KeptEndsPorts) {
    this.#ports = ports;
  }

  /** Records an end. Throws if the gate cannot take it now, and keeps it. */
  async write(ending: RowEnding): Promise<void> {
    try {
      await this.#ports.settle([ending]);
    } catch (error) {
      this.#keep(ending);
      throw error;
    }
    this.roomAgain();
  }

  /** Hears that the gate recorded something, so it may take what is kept here. */
  roomAgain(): void {
    if (this.#kept.size > 0) this.#ports.later(this.#try(true));
  }

  #keep(ending: RowEnding): void {
    // The first end counts, here as in the ledger. Many repeats of one call must not push others out.
    if (this.#kept.has(ending.seq)) return;
    this.#kept.set(ending.seq, { ending, tries: 0 });
    this.#chars += charsOf(ending);
    for (const oldest of this.#kept.values()) {
      if (this.#kept.size <= MAX_KEPT && this.#chars <= MAX_KEPT_CHARS) break;
      this.#giveUp(oldest, 'too many ends wait');
    }
    this.#watch();
  }

  #watch(): void {
    const watch = { since: Date.now() };
    for (const one of this.#watches)
      if (!isWithin(WATCH_MS, one.since, watch.since)) this.#watches.delete(one);
    if (this.#watches.size >= MAX_WATCHES) return;
    this.#watches.add(watch);
    this.#ports.later(this.#tryForAWhile().finally(() => this.#watches.delete(watch)));
  }

  async #tryForAWhile(): Promise<void> {
    for (const ms of WAITS_MS) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      if (this.#kept.size === 0) return;
      await this.#try(false);
    }
  }

  /** Sends what is kept, one end after the other up to the first that fails. */
  async #try(tookOthers: boolean): Promise<void> {
    const now = Date.now();
    if (this.#tryingSince !== undefined && isWithin(TRY_MS, this.#tryingSince, now)) return;
    this.#tryingSince = now;
    try {
      for (const kept of this.#kept.values()) {
        const problem = await this.#send(kept);
        if (problem !== undefined) {
          this.#failed(kept, problem, tookOthers);
          return;
        }
        this.#drop(kept);
      }
    } finally {
      this.#tryingSince = undefined;
    }
  }

  /** Gives the error if the gate could not take an end. It was reported when it came for the first time. */
  async #send({ ending }: Kept): Promise<{ readonly error: unknown } | undefined> {
    try {
      await this.#ports.settle([ending]);
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  #failed(kept: Kept, { error }: { readonly error: unknown }, tookOthers: boolean): void {
    const isFull = isDiskFull(error);
    // With a full disk, the oldest is the next to be tried.
    if ((isFull && !tookOthers) || !this.#has(kept)) return;
    // Others must not wait behind one that the gate may never take, or that is too long for the room there is.
    const { seq } = kept.ending;
    this.#kept.delete(seq);
    this.#kept.set(seq, kept);
    if (isFull || !tookOthers) return;
    kept.tries += 1;
    if (kept.tries >= MAX_TRIES) this.#giveUp(kept, errorText(error));
  }

  #giveUp(kept: Kept, why: string): void {
    this.#drop(kept);
    const { seq, end } = kept.ending;
    const ended = end.code ?? end.outcome;
    this.#ports.report(new Error(`The ledger lost the end of call ${seq} (${ended}): ${why}`), 'ledger');
  }

  #drop(kept: Kept): void {
    if (!this.#has(kept)) return;
    this.#kept.delete(kept.ending.seq);
    this.#chars -= charsOf(kept.ending);
  }

  /** Tells if this very end is kept. After it was given up, a repeat of the call may bring another. */
  #has(kept: Kept): boolean {
    return this.#kept.get(kept.ending.seq) === kept;
  }
}

function charsOf({ end }: RowEnding): number {
  return (end.result?.length ?? 0) + (end.files?.length ?? 0);
}
