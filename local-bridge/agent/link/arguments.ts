import type { Piece } from '../../../src/core/link-pieces.ts';

interface Expected {
  readonly bytes: Uint8Array;
  readonly whole: (text: string) => void;
  got: number;
}

/** Most that may be on its way in at once, all calls together. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Arguments too long for their call's own frame, as they come in. */
export class Arguments {
  readonly #expected = new Map<number, Expected>();
  #bytes = 0;

  /** `false` if that is more than can be held. */
  expect(n: number, length: number, whole: (text: string) => void): boolean {
    if (this.#bytes + length > MAX_BYTES) return false;
    this.#bytes += length;
    this.#expected.set(n, { bytes: new Uint8Array(length), whole, got: 0 });
    return true;
  }

  /** `false` if the piece is not the one that comes next. */
  add({ n, at, total, bytes }: Piece): boolean {
    const expected = this.#expected.get(n);
    // Of a call that was cancelled meanwhile, or that came twice.
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
