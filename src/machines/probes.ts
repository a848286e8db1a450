import type { FromMachine } from '../../contracts/link.ts';

export type Probed = Extract<FromMachine, { type: 'probed' }>;

/** The questions to the place where a machine runs its tools that are not answered yet. */
export class Probes {
  readonly #heard = new Map<number, (answer: Probed) => void>();

  /** Hands the answer over when it comes. Gives what drops the question. */
  wait(n: number, heard: (answer: Probed) => void): () => void {
    this.#heard.set(n, heard);
    return () => this.#heard.delete(n);
  }

  hear(answer: Probed) {
    this.#heard.get(answer.n)?.(answer);
    this.#heard.delete(answer.n);
  }
}
