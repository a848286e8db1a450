import type { Bucket } from '../storage/bucket.ts';

/** The store of contents. Each is stored under git's name for it, so none is stored twice and none ever changes. */
export interface Blobs {
  get(sha: string): Promise<Uint8Array | undefined>;
  put(sha: string, bytes: Uint8Array): Promise<void>;
  delete(shas: readonly string[]): Promise<void>;
}

export function blobsIn(bucket: Bucket): Blobs {
  return {
    get: async (sha) => {
      const found = await bucket.get(keyOf(sha));
      return found ? new Uint8Array(await found.arrayBuffer()) : undefined;
    },
    put: async (sha, bytes) => void (await bucket.put(keyOf(sha), bytes)),
    delete: (shas) => bucket.delete(shas.map(keyOf)),
  };
}

function keyOf(sha: string): string {
  return `blobs/${sha}`;
}

/** The most bytes of read contents that an isolate keeps. A content never changes, so none becomes stale. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** Remembers contents that were read lately. */
export function remembered(blobs: Blobs, maxBytes: number = MAX_KEPT_BYTES): Pick<Blobs, 'get'> {
  const kept = new Map<string, Uint8Array>();
  let bytes = 0;
  return {
    get: async (sha) => {
      const known = kept.get(sha);
      if (known) {
        kept.delete(sha);
        kept.set(sha, known);
        return known;
      }
      const read = await blobs.get(sha);
      // Somebody else may have read the same content meanwhile.
      if (!read || kept.has(sha) || read.byteLength > maxBytes) return read;
      kept.set(sha, read);
      bytes += read.byteLength;
      for (const [oldest, content] of kept) {
        if (bytes <= maxBytes) break;
        kept.delete(oldest);
        bytes -= content.byteLength;
      }
      return read;
    },
  };
}

const AT_ONCE = 8;

/** Stores contents in parallel, a few at a time. */
export class Puts {
  readonly #blobs: Pick<Blobs, 'put'>;
  readonly #running = new Set<Promise<void>>();

  constructor(blobs: Pick<Blobs, 'put'>) {
    this.#blobs = blobs;
  }

  /** Resolves when there is room for another. */
  async put(sha: string, bytes: Uint8Array): Promise<void> {
    const putting = this.#blobs.put(sha, bytes).finally(() => this.#running.delete(putting));
    this.#running.add(putting);
    // The wait below reports a failure. Until then it must not count as unhandled.
    putting.catch(() => undefined);
    if (this.#running.size >= AT_ONCE) await Promise.race(this.#running);
  }

  async done(): Promise<void> {
    await Promise.all(this.#running);
  }
}
