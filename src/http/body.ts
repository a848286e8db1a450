import { Gathered } from '../core/gathered.ts';
import { JsonRefused } from '../core/json.ts';
import { endOf } from './request-end.ts';
import { inTime, keepingPace, PACE } from './slow-body.ts';

/** The largest request body, unless a tool sets a limit of its own. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Up to this length, the runtime gathers a body. Less than what keeps the pace, so it only has to be there in time. */
const SHORT_BYTES = 32 * 1024;

/** The body is over the limit. Every way in answers it with `413`. */
export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge';
}

/** Reads a body as UTF-8 text. Stops at the limit, without reading the rest. */
export async function readBody(request: Request, maxBytes: number = MAX_BODY_BYTES): Promise<string> {
  const declared = request.headers.get('content-length');
  if (Number(declared ?? 0) > maxBytes) throw new BodyTooLarge();
  if (isShort(declared, request.headers)) {
    // A reader of pieces costs half as much as a whole small request.
    const bytes = await inTime(request.arrayBuffer(), PACE, endOf(request).timer);
    if (bytes.byteLength > maxBytes) throw new BodyTooLarge();
    return decode(bytes);
  }
  if (!request.body) return '';
  // A chunked body declares no length and may never end, so count what arrives as well.
  const gathered = new Gathered();
  const reader = keepingPace(request.body);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (gathered.length + value.byteLength > maxBytes) {
      await reader.cancel();
      throw new BodyTooLarge();
    }
    gathered.add(value);
  }
  return decode(gathered.whole());
}

/**
 * Refuses a body over the usual limit unless texts make it long. Once parsed, a megabyte of brackets takes fifty
 * megabytes of memory, but a megabyte of text takes hardly more than one.
 */
export function refuseLongStructure(json: string): void {
  if (json.length <= MAX_BODY_BYTES) return;
  let structure = 0;
  for (let i = 0; i < json.length; i++) {
    if (++structure > MAX_BODY_BYTES)
      throw new BodyTooLarge(
        `Over ${MAX_BODY_BYTES} bytes of the request body are outside of texts in quotes.`,
      );
    if (json[i] !== '"') continue;
    structure += 1;
    for (i += 1; i < json.length && json[i] !== '"'; i++) if (json[i] === '\\') i += 1;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Tells whether a body ends after a few bytes. A chunked one may go on for ever, whatever length it declares. */
function isShort(declared: string | null, headers: Headers): boolean {
  return (
    declared !== null &&
    /^\d{1,5}$/.test(declared) &&
    Number(declared) <= SHORT_BYTES &&
    !headers.has('transfer-encoding')
  );
}

function decode(bytes: Uint8Array | ArrayBuffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new JsonRefused('The body is not valid UTF-8.');
  }
}
