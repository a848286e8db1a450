import { LINK } from '../../contracts/link.ts';

/** A result on its way in. It lets its sender run only so far ahead of its reader. */
export class Incoming {
  readonly total: number;
  readonly #grant: (upto: number) => void;
  #pieces: Uint8Array[] = [];
  #got = 0;
  #taken = 0;
  #granted: number = LINK.callCredit;
  #isLost = false;
  #changed: () => void = () => undefined;

  constructor(total: number, grant: (upto: number) => void) {
    this.total = total;
    this.#grant = grant;
  }

  get isWhole(): boolean {
    return this.#got === this.total;
  }

  /** Takes the next bytes. Gives `false` if they are not the next, or exceed the allowance. */
  push(at: number, bytes: Uint8Array): boolean {
    // These bytes came before.
    if (at < this.#got) return true;
    if (at > this.#got || at + bytes.length > Math.min(this.#granted, this.total)) return false;
    this.#pieces.push(bytes);
    this.#got += bytes.length;
    this.#changed();
    return true;
  }

  /** Gives the next bytes; `wait` if there are none yet, `lost` if none will come. */
  take(): Uint8Array | 'wait' | 'lost' | 'end' {
    const next = this.#pieces.shift();
    if (!next) {
      if (this.#taken === this.total) return 'end';
      return this.#isLost ? 'lost' : 'wait';
    }
    this.#taken += next.length;
    const upto = Math.min(this.total, this.#taken + LINK.callCredit);
    // Grant more only now and then: the sender still has half of its allowance.
    if (!this.#isLost && upto - this.#granted >= Math.min(LINK.piece, this.total - this.#granted)) {
      if (upto > this.#granted) this.#grant(upto);
      this.#granted = upto;
    }
    return next;
  }

  /** Gives the whole of a result that was allowed in whole. */
  join(): Uint8Array {
    const [only] = this.#pieces;
    if (only && this.#pieces.length === 1) return only;
    return joined(this.#pieces, this.#got);
  }

  /** Allows all of the rest in. */
  letIn(): void {
    const upto = Math.min(this.total, this.#got + LINK.callCredit);
    if (upto <= this.#granted || upto - this.#granted < Math.min(LINK.piece, this.total - this.#granted)) {
      return;
    }
    this.#granted = upto;
    this.#grant(upto);
  }

  lose(): void {
    this.#isLost = true;
    this.#changed();
  }

  /** Calls `act` when there may be more to take. */
  onChange(act: () => void): void {
    this.#changed = act;
  }
}

export function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
