import { Gathered } from '../core/gathered.ts';

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
  const gathered = new Gathered();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: gathered.whole(), truncated: false };
    const room = maxBytes - gathered.length;
    if (value.byteLength > room) {
      await reader.cancel();
      if (overflow === 'refuse') return 'too_large';
      gathered.add(value.subarray(0, room));
      return { bytes: gathered.whole(), truncated: true };
    }
    gathered.add(value);
  }
}
