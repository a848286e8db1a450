import { describe, expect, it } from 'vitest';
import { type Bucket, bucketOf } from '../../../src/storage/bucket.ts';

/** Keeps what it is given. */
function bucket(kept: Map<string, Uint8Array>): Bucket {
  return {
    put: async (name, bytes) => void kept.set(name, bytes),
    get: async (name) => {
      const bytes = kept.get(name);
      return bytes ? { arrayBuffer: async () => new Uint8Array(bytes).buffer } : null;
    },
    delete: async (names) => {
      for (const name of names) kept.delete(name);
    },
  };
}

describe('names in the bucket', () => {
  it('begin with the secret, if there is one, for everything that is stored, read and deleted', async () => {
    const kept = new Map<string, Uint8Array>();
    const secret = bucketOf({ BLOBS: bucket(kept), BLOB_NAMES_BEGIN: 's3cret' });
    await secret.put('blobs/a', new Uint8Array([1]));
    expect([...kept.keys()]).toEqual(['s3cret/blobs/a']);
    expect(await secret.get('blobs/a')).not.toBeNull();
    await secret.delete(['blobs/a']);
    expect(kept.size).toBe(0);
  });

  it('are as they were without one', () => {
    const plain = bucket(new Map());
    expect(bucketOf({ BLOBS: plain })).toBe(plain);
    expect(bucketOf({ BLOBS: plain, BLOB_NAMES_BEGIN: '' })).toBe(plain);
  });
});
