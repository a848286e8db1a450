/**
 * Gathers bytes that arrive in pieces. It keeps them in one buffer and not the pieces themselves: a runtime reads into
 * buffers of 4 KB, so a body that comes byte by byte would take four thousand times its length.
 */
export class Gathered {
  #bytes: Uint8Array = new Uint8Array();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Uint8Array): void {
    const length = this.#length + piece.byteLength;
    if (this.#length === 0) this.#bytes = piece;
    else {
      if (length > this.#bytes.byteLength) {
        const grown = new Uint8Array(Math.max(length, 2 * this.#bytes.byteLength, 4_096));
        grown.set(this.#bytes);
        this.#bytes = grown;
      }
      this.#bytes.set(piece, this.#length);
    }
    this.#length = length;
  }

  whole(): Uint8Array {
    return this.#length === this.#bytes.byteLength ? this.#bytes : this.#bytes.slice(0, this.#length);
  }
}
