import type { LinkPorts } from './link-ports.ts';

/** A call waits for a machine that left within this time. */
export const JUST_GONE_MS = 5_000;
/** The longest such wait, well below the second after which a caller learns that the machine is offline. */
export const RETURN_MS = 700;
/** The longest wait for a machine to store its connection. With a full disk it never does. */
export const STORES_MS = 5_000;

/** Calls that wait a moment for a machine that just left. */
export class Returning {
  readonly #after: LinkPorts['after'];
  readonly #waiting = new Map<string, (isWanted: boolean) => void>();

  constructor(after: LinkPorts['after']) {
    this.#after = after;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Acts once: when the machine is back, when the time is over, or when the call is cancelled. */
  wait(id: string, ms: number, act: (isWanted: boolean) => void): void {
    // The caller lost the connection and sent the same call again.
    this.giveUp(id);
    const end = (isWanted: boolean) => {
      stop();
      this.#waiting.delete(id);
      act(isWanted);
    };
    const stop = this.#after(ms, () => end(true));
    this.#waiting.set(id, end);
  }

  giveUp(id: string): void {
    this.#waiting.get(id)?.(false);
  }

  isBack(): void {
    for (const end of [...this.#waiting.values()]) end(true);
  }
}
