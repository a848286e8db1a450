import type { LinkPorts } from './link-ports.ts';

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
