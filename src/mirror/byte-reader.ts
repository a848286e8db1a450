import { errorText } from '../core/error-text.ts';
import { keepingPace } from '../http/slow-body.ts';

/** The body ended before everything it announced had arrived. */
export class BodyCutOff extends Error {
  override name = 'BodyCutOff';
}

/**
 * Takes a body apart while it arrives: a line, then a number of bytes. It holds no more in memory than the caller
 * asked for.
 */
export class ByteReader {
  readonly #reader: ReturnType<typeof keepingPace>;
  #held: Uint8Array = new Uint8Array();

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = keepingPace(body);
  }

  /** Reads a line without its end. Searches at most so many bytes for the end. */
  async line(maxBytes: number): Promise<string> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for (;;) {
      const end = this.#held.indexOf(0x0a);
      const chunk = end < 0 ? this.#held : this.#held.subarray(0, end);
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length > maxBytes) throw new BodyCutOff(`The first line is over ${maxBytes} bytes.`);
      if (end >= 0) {
        this.#held = this.#held.subarray(end + 1);
        return new TextDecoder().decode(joined(chunks, length));
      }
      await this.#more();
    }
  }

  async take(bytes: number): Promise<Uint8Array> {
    const taken = new Uint8Array(bytes);
    for (let at = 0; at < bytes; ) {
      if (this.#held.byteLength === 0) await this.#more();
      const chunk = this.#held.subarray(0, bytes - at);
      taken.set(chunk, at);
      at += chunk.byteLength;
      this.#held = this.#held.subarray(chunk.byteLength);
    }
    return taken;
  }

  /** Tells whether everything was read. */
  async isAtEnd(): Promise<boolean> {
    while (this.#held.byteLength === 0) {
      const chunk = await this.#next();
      if (!chunk) return true;
      this.#held = chunk;
    }
    return false;
  }

  async cancel(): Promise<void> {
    // A body that broke off can't be cancelled any more.
    await this.#reader.cancel().catch(() => undefined);
  }

  async #more(): Promise<void> {
    const chunk = await this.#next();
    if (!chunk) throw new BodyCutOff('The body ended early.');
    this.#held = chunk;
  }

  async #next(): Promise<Uint8Array | undefined> {
    try {
      const { done, value } = await this.#reader.read();
      return done ? undefined : value;
    } catch (error) {
      // The sender is gone.
      throw new BodyCutOff(`The body broke off: ${errorText(error)}`);
    }
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
