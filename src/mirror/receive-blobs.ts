import { blobSha, MAX_FILE_BYTES, utf8Text } from '../core/git-blob.ts';
import { blobHead, MAX_BATCH_BYTES } from '../core/mirror-push.ts';
import { type Blobs, Puts } from './blobs.ts';
import { BodyCutOff, ByteReader } from './byte-reader.ts';
import type { Arrived } from './contents.ts';

/** A body of contents that does not match its description. */
export class BadBlobs extends Error {
  override name = 'BadBlobs';
  readonly status: number;
  /** The contents before it that did match. */
  arrived: readonly Arrived[] = [];

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

const MAX_HEAD_BYTES = 256 * 1024;

/** Stores contents in the bucket while they arrive. It checks git's name for each one first. */
export async function receiveBlobs(request: Request, blobs: Blobs): Promise<Arrived[]> {
  if (!request.body) throw new BadBlobs('There is no body.');
  const reader = new ByteReader(request.body);
  const puts = new Puts(blobs);
  const arrived: Arrived[] = [];
  try {
    for (const { sha, size } of headOf(await reader.line(MAX_HEAD_BYTES))) {
      const bytes = await reader.take(size);
      if (blobSha(bytes, sha) !== sha) throw new BadBlobs(`The content sent as ${sha} has another hash.`);
      await puts.put(sha, bytes);
      const text = utf8Text(bytes);
      arrived.push(text === undefined ? { sha } : { sha, text });
    }
    if (!(await reader.isAtEnd())) throw new BadBlobs('The body goes on after the announced contents.');
  } catch (error) {
    await Promise.all([reader.cancel(), puts.done()]);
    if (!(error instanceof BodyCutOff || error instanceof BadBlobs)) throw error;
    const bad = error instanceof BadBlobs ? error : new BadBlobs(error.message);
    bad.arrived = arrived;
    throw bad;
  }
  await puts.done();
  return arrived;
}

function headOf(line: string): { sha: string; size: number }[] {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    throw new BadBlobs('The first line is not JSON.');
  }
  const head = blobHead.safeParse(json);
  if (!head.success) throw new BadBlobs('The first line does not say what follows.');
  const { blobs } = head.data;
  if (blobs.some(({ size }) => size > MAX_FILE_BYTES))
    throw new BadBlobs(`A content is over ${MAX_FILE_BYTES} bytes.`, 413);
  if (blobs.length > 1 && blobs.reduce((sum, { size }) => sum + size, 0) > MAX_BATCH_BYTES)
    throw new BadBlobs(`The contents are over ${MAX_BATCH_BYTES} bytes together.`, 413);
  return blobs;
}
