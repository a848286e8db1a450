import { isWithin } from '../core/clock.ts';
import type { EndQueue } from './end-queue.ts';
import type { Ending, GateAnswer, GateCall, GateReply, TellFirst } from './messages.ts';
import type { OpenReads } from './open-reads.ts';
import { within } from './within.ts';

/** The ways to ask the gate's object: about one call, or about several in one journey and one commit. */
export interface AdmitPort {
  admit(call: GateCall, endings: Ending[]): Promise<GateAnswer>;
  /** Answers in the order of the calls. Left out where a journey costs nothing. */
  admitAll?(calls: GateCall[], endings: Ending[], life?: string | null): Promise<GateReply[]>;
  /** Asks about a plain read. Whoever asks so knows the reads that the gate has noted, and by which memory of it. */
  admitRead?(call: GateCall, endings: Ending[], life: string | null): Promise<GateAnswer | TellFirst>;
}

interface AdmitQueuePorts {
  gate(): AdmitPort;
  readonly endings: EndQueue;
  readonly reads: OpenReads;
  /** Keeps work running after its request has gone. */
  later(work: Promise<unknown>): void;
}

/** The time that a call may wait for others to travel with it. A call that comes alone does not wait. */
const WAIT_MS = 1;
const MAX_TOGETHER = 64;
/** From so many journeys on, another one costs more than a wait. */
const MANY = 4;
/** While so many calls travel together, the next ones wait for each other behind a single journey. With fewer, waiting costs more. */
const LARGE = 8;
/** Longer calls travel alone, because a message to an object holds 32 MB. */
const MAX_CHARS = 64 * 1_024;
/** A request that ends too early takes its timer with it. After this time the others notice. */
const LEFT_BEHIND_MS = 250;
const NO_ANSWER_MS = 30_000;
/** The most often that a call tells the gate of the reads that are open here. */
const MAX_TOLD = 5;

interface Group {
  readonly calls: GateCall[];
  readonly replies: PromiseWithResolvers<ReadonlyMap<GateCall, GateReply>>;
  isSent: boolean;
}

/**
 * Sends calls that reach an isolate at the same time to the gate together. The object still decides about one
 * after the other. They only share the journey and the commit.
 */
export class AdmitQueue {
  readonly #ports: AdmitQueuePorts;
  /** The start of each journey that has not come back. One that never comes back does not count for long. */
  readonly #underWay = new Set<{ readonly since: number }>();
  #open: Group | undefined;
  /** The number of calls that travelled together last. */
  #together = 0;

  constructor(ports: AdmitQueuePorts) {
    this.#ports = ports;
  }

  admit(call: GateCall): Promise<GateAnswer> {
    if (call.args.length > MAX_CHARS || !this.#isBusy(call)) return this.#alone(call);
    if (!this.#ports.gate().admitAll) return this.#alone(call);
    const open = this.#open;
    if (!open || open.calls.length >= MAX_TOGETHER) return this.#lead(call);
    open.calls.push(call);
    return this.#follow(open, call);
  }

  async #alone(call: GateCall): Promise<GateAnswer> {
    if (!call.isPlainRead) return this.#journey((endings) => this.#ports.gate().admit(call, endings));
    const { reads } = this.#ports;
    for (let told = 0; told < MAX_TOLD; told++) {
      const answer = await this.#journey(async (endings) => {
        // Each look at the object or at one of its methods costs some microseconds.
        const gate = this.#ports.gate();
        const asked = gate.admitRead?.(call, endings, reads.life);
        return asked ?? gate.admit(call, endings);
      });
      if (answer.kind !== 'tell') return this.#begun(call, answer);
      await reads.tell();
    }
    throw new Error('The gate forgets what it is told.');
  }

  #begun(call: GateCall, answer: GateAnswer): GateAnswer {
    if (answer.kind === 'admitted' && answer.noted) this.#ports.reads.begin(call, answer.noted);
    return answer;
  }

  async #lead(call: GateCall): Promise<GateAnswer> {
    const group: Group = { calls: [call], replies: Promise.withResolvers(), isSent: false };
    this.#open = group;
    // The members of the group learn of a failure from the promise. Without members, nobody needs to know.
    group.replies.promise.catch(() => undefined);
    const sending = this.#send(group);
    this.#ports.later(sending);
    await sending;
    return this.#answerTo(call, await group.replies.promise);
  }

  async #send(group: Group): Promise<void> {
    await sleep(WAIT_MS);
    if (this.#open === group) this.#open = undefined;
    group.isSent = true;
    const { calls, replies } = group;
    this.#together = calls.length;
    try {
      const all = await this.#journey(async (endings) => {
        const gate = this.#ports.gate();
        return gate.admitAll ? gate.admitAll(calls, endings, this.#ports.reads.life) : [];
      });
      all.forEach((reply, i) => {
        const call = calls[i];
        if (call && reply.kind === 'admitted') this.#begun(call, reply);
      });
      replies.resolve(new Map(calls.map((call, i) => [call, all[i] ?? NOTHING])));
    } catch (error) {
      replies.reject(error);
    }
  }

  /**
   * Waits with its own timer. Without one, the runtime thinks that a request that waits for another one
   * hangs.
   */
  async #follow(group: Group, call: GateCall): Promise<GateAnswer> {
    const { promise } = group.replies;
    let replies = await within(promise, LEFT_BEHIND_MS);
    if (!replies && !group.isSent) {
      group.calls.splice(group.calls.indexOf(call), 1);
      if (this.#open === group) this.#open = undefined;
      return this.#alone(call);
    }
    replies ??= await within(promise, NO_ANSWER_MS);
    if (!replies) throw new Error('The gate did not answer.');
    return this.#answerTo(call, replies);
  }

  async #answerTo(call: GateCall, replies: ReadonlyMap<GateCall, GateReply>): Promise<GateAnswer> {
    const reply = replies.get(call) ?? NOTHING;
    if (reply.kind === 'threw') throw new Error(reply.message);
    return reply.kind === 'tell' ? this.#alone(call) : reply;
  }

  async #journey<T>(make: (endings: Ending[]) => Promise<T>): Promise<T> {
    const trip = { since: Date.now() };
    this.#underWay.add(trip);
    try {
      return await this.#ports.endings.travelWith(make);
    } finally {
      this.#underWay.delete(trip);
    }
  }

  /** Tells if a call is to wait for others: a plain read only for many, because it waits for no commit. */
  #isBusy({ isPlainRead }: GateCall): boolean {
    for (const trip of this.#underWay)
      if (!isWithin(NO_ANSWER_MS, trip.since, Date.now())) this.#underWay.delete(trip);
    if (isPlainRead && this.#together < LARGE) return this.#underWay.size >= MANY;
    return this.#underWay.size > 0 || this.#open !== undefined;
  }
}

const NOTHING: GateReply = { kind: 'threw', message: 'The gate left a call out.' };

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
