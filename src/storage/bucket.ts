/** The part of an R2 bucket that is used here. R2's own type exists only in the Worker. */
export interface Bucket {
  put(name: string, bytes: Uint8Array): Promise<unknown>;
  get(name: string): Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | null>;
  delete(names: string[]): Promise<void>;
}

interface BucketSettings {
  readonly BLOBS: Bucket;
  /** The secret that every name in the bucket begins with. Only `wrangler dev` needs one. */
  readonly BLOB_NAMES_BEGIN?: string;
}

/**
 * Gives the bucket. `wrangler dev` lists no objects, but gives each one to everybody on the computer who knows its name.
 * Names that nobody can guess keep the objects closed.
 */
export function bucketOf({ BLOBS, BLOB_NAMES_BEGIN }: BucketSettings): Bucket {
  if (!BLOB_NAMES_BEGIN) return BLOBS;
  const inBucket = (name: string) => `${BLOB_NAMES_BEGIN}/${name}`;
  return {
    put: (name, bytes) => BLOBS.put(inBucket(name), bytes),
    get: (name) => BLOBS.get(inBucket(name)),
    delete: (names) => BLOBS.delete(names.map(inBucket)),
  };
}
