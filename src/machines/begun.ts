import { LINK } from '../../contracts/link.ts';
import type { MachineCall } from './link-ports.ts';

/**
 * The calls that a machine said it began. If it no longer knows one of them, the end of its journal is lost, and the call
 * would run a second time if it were sent again. This object forgets them when it sleeps or ends, since only a machine's
 * damaged disk makes them matter.
 */
export class Begun {
  readonly #ids = new Set<string>();

  add(call: MachineCall | undefined) {
    if (call?.effect) this.#ids.add(call.id);
  }

  end(id: string) {
    this.#ids.delete(id);
  }

  /**
   * Tells whether the machine began a call and does not hold it any more. Nobody knows if there is no list, or if it is
   * full and goes on in another frame.
   */
  isLost(id: string, held: readonly string[] | undefined): boolean {
    return held !== undefined && held.length < LINK.listed && this.#ids.has(id) && !held.includes(id);
  }
}
