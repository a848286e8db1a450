import { Gathered } from '../core/gathered.ts';
import { keepingPace } from '../http/slow-body.ts';

/** Reads a body's bytes. Gives `undefined` for a body over the limit, and never reads the rest of it. */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return undefined;
  if (!request.body) return new Uint8Array();
  const gathered = new Gathered();
  const reader = keepingPace(request.body);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return gathered.whole();
    if (gathered.length + value.byteLength > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    gathered.add(value);
  }
}
