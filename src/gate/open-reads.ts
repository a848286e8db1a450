import { isWithin } from '../core/clock.ts';
import type { Ending, GateCall, GateEnd, NotedRead, OpenRead } from './messages.ts';
import { within } from './within.ts';

export interface OpenReadsPort {
  settle(endings: (Ending | OpenRead)[]): Promise<void>;
  /** Tells the gate of reads that it has forgotten. */
  tell?(reads: OpenRead[]): Promise<NotedRead[]>;
}

interface OpenReadsPorts {
  gate(): OpenReadsPort;
  /** Keeps work running after its request has gone. */
  later(work: Promise<unknown>): void;
}

/** The time for which ends wait for each other, and the times to wait if the gate could not be told. */
const WAITS_MS = [20, 100, 1_000, 5_000];
/** The most requests that wait with a timer. Two, because a timer may end with its request. */
const MAX_WAITING = 2;
/** A timer that is older than this has ended with its request. */
const LEFT_BEHIND_MS = 100;
/** After this time no limit counts a read any more, and the gate has long written its row, if without an end. */
const FORGET_MS = 60_000;
/** The most reads to keep for a gate that cannot be told of their ends. */
const MAX_KEPT = 1_000;
/** The longest wait for another request's telling, which may have ended with its request. */
const TELL_MS = 5_000;
/** The most reads that are told of at once, because a message to an object holds 32 MB. */
const MAX_AT_ONCE = 250;

/**
 * Knows the reads of an isolate that the gate has noted, each until its row is surely written. So nothing is lost if the
 * gate's object dies: the end of a read brings the whole of it. Ends do not travel with calls. Otherwise each call
 * would wait for the commit of the one before.
 */
export class OpenReads {
  readonly #ports: OpenReadsPorts;
  readonly #open = new Map<string, OpenRead>();
  /** The reads whose ends are on their way. */
  readonly #sending = new Set<string>();
  /** The requests that will send what has ended by then. */
  readonly #waiting = new Set<{ readonly since: number }>();
  #telling: Promise<void> | undefined;

  constructor(ports: OpenReadsPorts) {
    this.#ports = ports;
  }

  /** The memory of the gate that knows all open reads: `null` if none is open, empty if several know some. */
  get life(): string | null {
    let life: string | null = null;
    for (const { noted } of this.#open.values()) {
      if (life !== null && noted.by !== life) return '';
      life = noted.by;
    }
    return life;
  }

  begin(call: GateCall, noted: NotedRead): void {
    for (const [callId, { noted, end }] of this.#open) {
      if (isWithin(FORGET_MS, noted.at, Date.now())) break;
      // Its end has yet to arrive, and travels with the next one that is sent.
      if (end && this.#open.size <= MAX_KEPT) continue;
      this.#open.delete(callId);
      this.#sending.delete(callId);
    }
    this.#open.set(call.callId, { call, noted });
  }

  end(call: GateCall, noted: NotedRead, end: GateEnd): void {
    const { callId } = call;
    this.#open.set(callId, { call, noted: this.#open.get(callId)?.noted ?? noted, end });
    const now = Date.now();
    for (const one of this.#waiting) if (!isWithin(LEFT_BEHIND_MS, one.since, now)) this.#waiting.delete(one);
    if (this.#waiting.size < MAX_WAITING) this.#ports.later(this.#send(callId));
  }

  /** Tells the gate of all open reads, because it has forgotten some. */
  async tell(): Promise<void> {
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = undefined;
    });
    const telling = this.#telling;
    this.#ports.later(telling);
    if (
      (await within(
        telling.then(() => true),
        TELL_MS,
      )) ||
      this.#telling !== telling
    )
      return;
    this.#telling = undefined;
  }

  async #tell(): Promise<void> {
    const running = [...this.#open.values()];
    for (let from = 0; from < running.length; from += MAX_AT_ONCE) {
      const reads = running.slice(from, from + MAX_AT_ONCE);
      const noted = (await this.#ports.gate().tell?.(reads)) ?? [];
      reads.forEach(({ call: { callId } }, i) => {
        const [read, by] = [this.#open.get(callId), noted[i]];
        if (read && by) this.#open.set(callId, { ...read, noted: by });
      });
    }
  }

  /** Waits, and then sends the end of this read with those of all others that ended meanwhile. */
  async #send(callId: string): Promise<void> {
    const waiting = { since: Date.now() };
    this.#waiting.add(waiting);
    for (const ms of WAITS_MS) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      this.#waiting.delete(waiting);
      try {
        while ((await this.#sendEnded()) === MAX_AT_ONCE);
        if (!this.#open.has(callId)) return;
      } catch (error) {
        if (ms === WAITS_MS.at(-1)) throw error;
      }
    }
  }

  /** Sends the ends that nobody is sending, and gives how many those were. */
  async #sendEnded(): Promise<number> {
    const ended: OpenRead[] = [];
    for (const read of this.#open.values())
      if (read.end && ended.length < MAX_AT_ONCE && !this.#sending.has(read.call.callId)) ended.push(read);
    if (ended.length === 0) return 0;
    for (const { call } of ended) this.#sending.add(call.callId);
    try {
      await this.#ports.gate().settle(ended);
      for (const { call } of ended) this.#open.delete(call.callId);
      return ended.length;
    } finally {
      for (const { call } of ended) this.#sending.delete(call.callId);
    }
  }
}
