import { isWithin } from '../core/clock.ts';
import type { EndQueue } from './end-queue.ts';
import type { Ending, GateAnswer, GateCall, GateReply } from './messages.ts';

/** The ways to ask the gate's object: about one call, or about several in one journey and one commit. */
export interface AdmitPort {
  admit(call: GateCall, endings: Ending[]): Promise<GateAnswer>;
  /** Answers in the order of the calls. Left out where a journey costs nothing. */
  admitAll?(calls: GateCall[], endings: Ending[]): Promise<GateReply[]>;
}

interface AdmitQueuePorts {
  gate(): AdmitPort;
  readonly endings: EndQueue;
  /** Keeps work running after its request has gone. */
  later(work: Promise<unknown>): void;
}

/** The time that a call may wait for others to travel with it. A call that comes alone does not wait. */
const WAIT_MS = 1;
const MAX_TOGETHER = 64;
/** Longer calls travel alone, because a message to an object holds 32 MB. */
const MAX_CHARS = 64 * 1_024;
/** A request that ends too early takes its timer with it. After this time the others notice. */
const LEFT_BEHIND_MS = 250;
const NO_ANSWER_MS = 30_000;

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

  constructor(ports: AdmitQueuePorts) {
    this.#ports = ports;
  }

  admit(call: GateCall): Promise<GateAnswer> {
    const gate = this.#ports.gate();
    const { admitAll } = gate;
    if (!admitAll || call.args.length > MAX_CHARS || !this.#isBusy()) return this.#alone(gate, call);
    const open = this.#open;
    if (!open || open.calls.length >= MAX_TOGETHER) return this.#lead(call);
    open.calls.push(call);
    return this.#follow(open, call);
  }

  #alone(gate: AdmitPort, call: GateCall): Promise<GateAnswer> {
    return this.#journey((endings) => gate.admit(call, endings));
  }

  async #lead(call: GateCall): Promise<GateAnswer> {
    const group: Group = { calls: [call], replies: Promise.withResolvers(), isSent: false };
    this.#open = group;
    // The members of the group learn of a failure from the promise. Without members, nobody needs to know.
    group.replies.promise.catch(() => undefined);
    const sending = this.#send(group);
    this.#ports.later(sending);
    await sending;
    return answerTo(call, await group.replies.promise);
  }

  async #send(group: Group): Promise<void> {
    await sleep(WAIT_MS);
    if (this.#open === group) this.#open = undefined;
    group.isSent = true;
    const { calls, replies } = group;
    try {
      const all = await this.#journey(async (endings) => {
        const gate = this.#ports.gate();
        return gate.admitAll ? gate.admitAll(calls, endings) : [];
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
      return this.#alone(this.#ports.gate(), call);
    }
    replies ??= await within(promise, NO_ANSWER_MS);
    if (!replies) throw new Error('The gate did not answer.');
    return answerTo(call, replies);
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

  #isBusy(): boolean {
    for (const trip of this.#underWay) {
      if (isWithin(NO_ANSWER_MS, trip.since, Date.now())) return true;
      this.#underWay.delete(trip);
    }
    return this.#open !== undefined;
  }
}

const NOTHING: GateReply = { kind: 'threw', message: 'The gate left a call out.' };

function answerTo(call: GateCall, replies: ReadonlyMap<GateCall, GateReply>): GateAnswer {
  const reply = replies.get(call) ?? NOTHING;
  if (reply.kind === 'threw') throw new Error(reply.message);
  return reply;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
