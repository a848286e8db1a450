import { type BodyLimit, type LimitedBody, readBody } from './body.ts';

/** Recognises the two bytes that begin a zlib stream. No text begins with them. */
const isZlib = (bytes: Uint8Array): boolean => {
  const [first = 0, second = 0] = bytes;
  return (first & 0x0f) === 8 && first >> 4 <= 7 && (first * 256 + second) % 31 === 0;
};

/** A piece can become a thousand times as long. */
const PIECE_BYTES = 16_384;

/**
 * Passes packed bytes on in small pieces, and lets the reader take the output of each. Workers unpack all that they are
 * given before anybody reads it, so a bomb given whole would fill the memory.
 */
async function feed(bytes: Uint8Array, packed: WritableStream<BufferSource>, isWanted: () => boolean) {
  const writer = packed.getWriter();
  for (let at = 0; at < bytes.length && isWanted(); at += PIECE_BYTES) {
    await writer.write(bytes.slice(at, at + PIECE_BYTES));
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  if (isWanted()) await writer.close();
}

/**
 * Unpacks a `deflate` body that the platform left packed, as Workers do. Counts its bytes like those of any
 * other body.
 */
export async function inflated(
  body: LimitedBody | 'too_large',
  headers: Headers,
  limit: BodyLimit,
): Promise<LimitedBody | 'too_large'> {
  if (body === 'too_large' || body.truncated || headers.get('content-encoding')?.trim() !== 'deflate')
    return body;
  if (!isZlib(body.bytes)) return body;
  const { readable, writable } = new DecompressionStream('deflate');
  let isWanted = true;
  // The reader meets the same error.
  feed(body.bytes, writable, () => isWanted).catch(() => undefined);
  try {
    return await readBody(new Response(readable), limit);
  } catch {
    // It only began like one.
    return body;
  } finally {
    isWanted = false;
  }
}
