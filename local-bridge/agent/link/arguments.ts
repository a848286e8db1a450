import type { Piece } from '../../../src/core/link-pieces.ts';

interface Expected {
  readonly bytes: Uint8Array;
  readonly whole: (text: string) => void;
  got: number;
}

/** The most bytes that may be arriving at once, for all calls together. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Collects the pieces of a call's text that is too long for one frame. */
export class Arguments {
  readonly #expected = new Map<number, Expected>();
  #bytes = 0;

  /**
   * Expects the pieces of a call's text. Gives `false` if all texts that are arriving would together be too large.
   */
  expect(n: number, length: number, whole: (text: string) => void): boolean {
    if (this.#bytes + length > MAX_BYTES) return false;
    this.#bytes += length;
    this.#expected.set(n, { bytes: new Uint8Array(length), whole, got: 0 });
    return true;
  }

  /** Takes a piece. Gives `false` if it is not the next one. */
  add({ n, at, total, bytes }: Piece): boolean {
    const expected = this.#expected.get(n);
    // Its call was cancelled meanwhile, or the piece came twice.
    if (!expected || at < expected.got) return true;
    if (at > expected.got || total !== expected.bytes.length) return false;
    expected.bytes.set(bytes, at);
    expected.got += bytes.length;
    if (expected.got < total) return true;
    this.drop(n);
    expected.whole(new TextDecoder().decode(expected.bytes));
    return true;
  }

  drop(n: number): void {
    this.#bytes -= this.#expected.get(n)?.bytes.length ?? 0;
    this.#expected.delete(n);
  }

  clear(): void {
    this.#expected.clear();
    this.#bytes = 0;
  }
}
