import { type FromMachine, LINK } from '../../contracts/link.ts';
import { updateOf } from './call-frames.ts';
import { openByNumber } from './call-rows.ts';
import type { Flight } from './flights.ts';
import type { LinkSql, MachineCall } from './link-ports.ts';
import { Tail } from './tail.ts';

/**
 * The calls that a machine said it began, and what they said since. If the machine no longer knows one of them, the end of
 * its journal is lost, and the call would run a second time if it were sent again. This object forgets them when it sleeps
 * or ends: only a machine's damaged disk makes the calls matter, and what they said is in their answers.
 */
export class Begun {
  readonly #ids = new Set<string>();
  readonly #tails = new Map<string, Tail>();

  add(call: MachineCall | undefined) {
    if (call?.effect) this.#ids.add(call.id);
  }

  /** Takes what a call says while it runs, and tells whoever waits for it. Keeps it only of a call with an effect. */
  hear(frame: Extract<FromMachine, { type: 'progress' }>, flight: Flight | undefined, sql: LinkSql) {
    const update = updateOf(frame);
    flight?.heard.progress(update);
    // Nobody may wait for the call any more, and it still runs.
    const call = flight ? flight.call.effect && flight.call : openByNumber(sql, frame.n);
    if (!call || update.message === undefined) return;
    const tail = this.#tails.get(call.id) ?? new Tail(call.tool);
    this.#tails.set(call.id, tail);
    tail.take(update.message);
  }

  /** Gives the end of what a running call said. */
  saidBy(id: string): string | undefined {
    return this.#tails.get(id)?.said;
  }

  end(id: string) {
    this.#ids.delete(id);
    this.#tails.delete(id);
  }

  /**
   * Tells whether the machine began a call and does not hold it any more. Nobody knows if there is no list, or if it is
   * full and goes on in another frame.
   */
  isLost(id: string, held: readonly string[] | undefined): boolean {
    return held !== undefined && held.length < LINK.listed && this.#ids.has(id) && !held.includes(id);
  }
}
