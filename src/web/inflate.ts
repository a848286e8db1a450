import { type Body, type BodyLimit, readBody } from './body.ts';

/** Recognises the two bytes that begin a zlib stream. No text begins with them. */
const isZlib = (bytes: Uint8Array): boolean => {
  const [first = 0, second = 0] = bytes;
  return (first & 0x0f) === 8 && first >> 4 <= 7 && (first * 256 + second) % 31 === 0;
};

/**
 * Unpacks a `deflate` body that the platform left packed, as Workers do. Counts its bytes like those of any
 * other body.
 */
export async function inflated(
  body: Body | 'too_large',
  headers: Headers,
  limit: BodyLimit,
): Promise<Body | 'too_large'> {
  if (body === 'too_large' || body.truncated || headers.get('content-encoding')?.trim() !== 'deflate')
    return body;
  if (!isZlib(body.bytes)) return body;
  const packed = new Response(body.bytes as BufferSource as BodyInit).body;
  if (!packed) return body;
  const unpacked = packed.pipeThrough(new DecompressionStream('deflate'));
  try {
    return await readBody(new Response(unpacked), limit);
  } catch {
    // It only began like one.
    return body;
  }
}
