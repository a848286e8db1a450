/** A text, and the encoding that its bytes have. */
export interface Decoded {
  readonly text: string;
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
}

/** The bytes that tell an encoding. */
const LOOKED_AT = 8_000;

/**
 * Decodes bytes as text and names their encoding; `undefined` if they are no text. Bytes that were cut off may end in the
 * middle of a character, which is left out.
 */
export function decoded(bytes: Buffer, isCut = false): Decoded | undefined {
  const encoding = encodingOf(bytes, isCut);
  return encoding && { text: new TextDecoder(encoding).decode(bytes, { stream: isCut }), encoding };
}

function encodingOf(bytes: Buffer, isCut: boolean): Decoded['encoding'] | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const start = bytes.subarray(0, LOOKED_AT);
  if (start.includes(0)) return withoutMark(start);
  return isUtf8(bytes, isCut) ? 'utf-8' : isSingleByte(start) ? 'windows-1252' : undefined;
}

/** Recognises UTF-16 without a byte order mark: nearly every other byte is zero, and none between them. */
function withoutMark(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes.length < 4 || bytes.length % 2 !== 0) return undefined;
  const zeros = [0, 0];
  for (const [i, byte] of bytes.entries()) if (byte === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const most = bytes.length * 0.3;
  if (even === 0 && odd > most) return 'utf-16le';
  return odd === 0 && even > most ? 'utf-16be' : undefined;
}

function isUtf8(bytes: Buffer, isCut: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
    return true;
  } catch {
    return false;
  }
}

/** Tells if bytes look like text of one byte a character: no controls besides those that texts have. */
function isSingleByte(bytes: Buffer): boolean {
  let strange = 0;
  for (const byte of bytes) {
    if ((byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13) || byte === 127) return false;
    if (byte === 0x81 || byte === 0x8d || byte === 0x8f || byte === 0x90 || byte === 0x9d) return false;
    if (byte > 127) strange += 1;
  }
  return strange <= bytes.length * 0.3;
}
