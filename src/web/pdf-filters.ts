const LZW = /\/(?:LZWDecode|LZW)\b/;
const RUNS = /\/(?:RunLengthDecode|RL)\b/;
const BASE_85 = /\/(?:ASCII85Decode|A85)\b/;
const HEX = /\/(?:ASCIIHexDecode|AHx)\b/;

/**
 * Undoes the old ways of packing a part of a PDF, up to just over a limit. What is left may still be packed with zlib.
 */
export function withoutOldFilters(head: string, packed: Uint8Array, limit: number): Uint8Array {
  let bytes = packed;
  if (HEX.test(head)) bytes = fromHex(bytes);
  if (BASE_85.test(head)) bytes = fromBase85(bytes);
  if (LZW.test(head)) return fromLzw(bytes, limit);
  if (RUNS.test(head)) return fromRuns(bytes, limit);
  return bytes;
}

function fromHex(text: Uint8Array): Uint8Array {
  const digits =
    new TextDecoder('latin1')
      .decode(text)
      .split('>', 1)[0]
      ?.replace(/[^\da-f]/gi, '') ?? '';
  const out = new Uint8Array(Math.ceil(digits.length / 2));
  for (let at = 0; at < out.length; at++) out[at] = Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16);
  return out;
}

function fromBase85(text: Uint8Array): Uint8Array {
  const out = new Writer(text.length * 4 + 4);
  let group: number[] = [];
  const write = (digits: readonly number[], bytes: number) => {
    const value = digits.reduce((sum, digit) => sum * 85 + digit, 0);
    for (let at = 0; at < bytes; at++) out.byte(Math.floor(value / 256 ** (3 - at)) % 256);
  };
  for (const code of text) {
    if (code === 0x7e) break;
    if (code === 0x7a && group.length === 0) write([0], 4);
    if (code < 0x21 || code > 0x75) continue;
    group.push(code - 0x21);
    if (group.length < 5) continue;
    write(group, 4);
    group = [];
  }
  if (group.length > 1) write([...group, 84, 84, 84, 84].slice(0, 5), group.length - 1);
  return out.taken();
}

function fromRuns(packed: Uint8Array, limit: number): Uint8Array {
  const out = new Writer(limit + 130);
  for (let at = 0; at < packed.length && out.length <= limit; ) {
    const length = packed[at] ?? 128;
    if (length === 128) break;
    if (length < 128) {
      for (const byte of packed.subarray(at + 1, at + 2 + length)) out.byte(byte);
      at += 2 + length;
    } else {
      for (let times = 257 - length; times > 0; times--) out.byte(packed[at + 1] ?? 0);
      at += 2;
    }
  }
  return out.taken();
}

/** Undoes LZW. Each table entry is the one before plus one byte, so its place in the output is enough to know it. */
function fromLzw(packed: Uint8Array, limit: number): Uint8Array {
  const out = new Writer(limit + 8_192);
  let places: [start: number, length: number][] = [];
  let last: [start: number, length: number] | undefined;
  let [bits, held, width] = [0, 0, 9];
  for (const byte of packed) {
    bits = ((bits << 8) | byte) & 0xffffff;
    held += 8;
    if (held < width) continue;
    held -= width;
    const code = (bits >> held) & ((1 << width) - 1);
    if (code === 257 || out.length > limit) break;
    if (code === 256) {
      [places, last, width] = [[], undefined, 9];
      continue;
    }
    const start = out.length;
    const known = places[code - 258];
    if (code < 256) out.byte(code);
    else if (known) out.again(...known);
    else if (last) {
      out.again(...last);
      out.again(last[0], 1);
    }
    if (last && places.length < 3_838) places.push([last[0], last[1] + 1]);
    last = [start, out.length - start];
    const next = places.length + 259;
    width = next >= 2_048 ? 12 : next >= 1_024 ? 11 : next >= 512 ? 10 : 9;
  }
  return out.taken();
}

/** Bytes that are written one after the other. */
class Writer {
  #bytes: Uint8Array;
  length = 0;

  constructor(most: number) {
    this.#bytes = new Uint8Array(most);
  }

  byte(byte: number): void {
    if (this.length < this.#bytes.length) this.#bytes[this.length++] = byte;
  }

  /** Writes again what was written before. */
  again(start: number, length: number): void {
    for (let at = start; at < start + length; at++) this.byte(this.#bytes[at] ?? 0);
  }

  taken(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }
}
