import type { Bucket } from '../storage/bucket.ts';
import { type Blobs, blobsIn, remembered } from './blobs.ts';
import type { RepoMirror } from './mirror-object.ts';

/** The mirror's object, called from the Worker. */
export type MirrorStub = DurableObjectStub<RepoMirror>;

/** The mirrored repo: the object knows what is where, and the bucket holds the contents. */
export interface Mirror {
  stub(): MirrorStub;
  readonly blobs: Blobs;
  /** Gives a content, from this isolate's memory if it was read lately. */
  content(sha: string): Promise<Uint8Array | undefined>;
}

export function makeMirror({ stub, bucket }: { stub(): MirrorStub; readonly bucket: Bucket }): Mirror {
  const blobs = blobsIn(bucket);
  return { stub, blobs, content: remembered(blobs).get };
}
