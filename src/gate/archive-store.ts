import type { Bucket } from '../storage/bucket.ts';

/** The place for pieces of the ledger that are too old for the database. */
export interface ArchiveStore {
  /** Resolves when the content is safe there. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  get(name: string): Promise<Uint8Array | undefined>;
}

export function archiveInBucket(bucket: Pick<Bucket, 'get' | 'put'>): ArchiveStore {
  return {
    put: async (name, bytes) => void (await bucket.put(name, bytes)),
    get: async (name) => {
      const found = await bucket.get(name);
      return found ? new Uint8Array(await found.arrayBuffer()) : undefined;
    },
  };
}

/** The store of a gateway without a bucket. Its database then keeps everything. */
export const NO_STORE: ArchiveStore = {
  put: async () => {
    throw new Error('There is no bucket for old calls.');
  },
  get: async () => undefined,
};

/** Far longer than any piece. Without this limit, a small file in the store could unpack without end. */
const MAX_CHARS = 64 * 1024 * 1024;

export async function packed(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Unpacks a text. Gives `undefined` if the bytes hold none. */
export async function unpacked(bytes: Uint8Array): Promise<string | undefined> {
  const source = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream('gzip'));
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  try {
    for await (const chunk of source) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_CHARS) return undefined;
    }
    return text + decoder.decode();
  } catch {
    // The file is damaged: it is no gzip, cut off, or no UTF-8.
    return undefined;
  }
}
