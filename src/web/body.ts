export interface BodyLimit {
  readonly maxBytes: number;
  /** The treatment of a longer body: refuse it (the default), or keep its beginning. */
  readonly overflow?: 'refuse' | 'cut';
}

export interface LimitedBody {
  readonly bytes: Uint8Array;
  readonly truncated: boolean;
}

/** Reads a body that may never end. Counts its bytes after decompression and stops at the limit. */
export async function readBody(
  response: Response,
  { maxBytes, overflow = 'refuse' }: BodyLimit,
): Promise<LimitedBody | 'too_large'> {
  const { body, headers } = response;
  if (!body) return { bytes: new Uint8Array(), truncated: false };
  const said = headers.has('content-encoding') ? 0 : Number(headers.get('content-length') ?? 0);
  if (overflow === 'refuse' && said > maxBytes) {
    await body.cancel();
    return 'too_large';
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: joined(chunks, length), truncated: false };
    const room = maxBytes - length;
    if (value.byteLength > room) {
      await reader.cancel();
      if (overflow === 'refuse') return 'too_large';
      chunks.push(value.subarray(0, room));
      return { bytes: joined(chunks, maxBytes), truncated: true };
    }
    chunks.push(value);
    length += value.byteLength;
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = chunks;
  if (only && chunks.length === 1) return only;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
