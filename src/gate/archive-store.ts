/** Where pieces of the ledger go that are too old for the database. */
export interface ArchiveStore {
  /** Resolves when the content is safe there. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  get(name: string): Promise<Uint8Array | undefined>;
}

/** What is used of an R2 bucket; its own type is there in the Worker alone. */
interface Bucket {
  put(name: string, bytes: Uint8Array): Promise<unknown>;
  get(name: string): Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | null>;
}

export function archiveInBucket(bucket: Bucket): ArchiveStore {
  return {
    put: async (name, bytes) => void (await bucket.put(name, bytes)),
    get: async (name) => {
      const found = await bucket.get(name);
      return found ? new Uint8Array(await found.arrayBuffer()) : undefined;
    },
  };
}

/** For a gateway without a bucket. Nothing is removed from its database then. */
export const NO_STORE: ArchiveStore = {
  put: async () => {
    throw new Error('There is no bucket for old calls.');
  },
  get: async () => undefined,
};

/** Far longer than any piece; whoever can write to the store could put a small file there that grows without end. */
const MAX_CHARS = 64 * 1024 * 1024;

export async function packed(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The text again; `undefined` for bytes that are none. */
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
    // Damaged: no gzip, cut off, or no UTF-8.
    return undefined;
  }
}
