import { DAMAGED, Entries, type Listing, MAX_NAME_BYTES } from './listing.ts';

const BLOCK = 512;
const NOTHING = Buffer.alloc(BLOCK);
/** The most bytes of what is said about an entry. */
const MAX_SAID = 65_536;

export function isTar(bytes: Buffer): boolean {
  return bytes.length >= BLOCK && bytes.toString('latin1', 257, 262) === 'ustar' && isHeader(bytes, 0);
}

/** What entries before a file say about it. */
interface Said {
  readonly name?: string;
  readonly target?: string;
  /** The bytes that follow its header. */
  readonly packed?: number;
  /** Its size where that is more: a file with holes. */
  readonly size?: number;
}

/** Kinds that have no bytes of their own, whatever size they claim: links, devices, folders, pipes. */
const EMPTY = new Set(['1', '2', '3', '4', '5', '6']);

/** Reads the header before each file of a tar, as `tar` itself would. */
export function tarListing(bytes: Buffer): Listing {
  const entries = new Entries();
  let always: Said = {};
  let said: Said = {};
  let at = 0;
  while (at + BLOCK <= bytes.length && !bytes.subarray(at, at + BLOCK).equals(NOTHING)) {
    const header = at;
    const kind = String.fromCharCode(bytes[header + 156] ?? 0);
    const own = numberAt(bytes, header + 124, 12);
    if (!isHeader(bytes, header) || own === undefined) return { kind: 'tar', problem: DAMAGED };
    const isAbout = 'xgLK'.includes(kind);
    const about = isAbout ? {} : { ...always, ...said };
    const packed = EMPTY.has(kind) ? 0 : (about.packed ?? own);
    const body = header + BLOCK + (kind === 'S' ? mapBytes(bytes, header) : 0);
    if (isAbout) {
      const more = saidIn(kind, bytes.subarray(body, body + Math.min(packed, MAX_SAID)));
      if (kind === 'g') always = { ...always, ...more };
      else said = { ...said, ...more };
    } else {
      const holes = kind === 'S' ? numberAt(bytes, header + 483, 12) : undefined;
      const isLink = kind === '1' || kind === '2';
      entries.add(() => ({
        name: about.name ?? nameAt(bytes, header),
        bytes: about.size ?? holes ?? packed,
        ...(isLink ? { target: about.target ?? textAt(bytes, header + 157, 100) } : {}),
      }));
      said = {};
    }
    at = body + Math.ceil(packed / BLOCK) * BLOCK;
  }
  return { kind: 'tar', entries: entries.listed, more: entries.more, isCut: at > bytes.length };
}

/** Checks the sum of a header, in which the sum's own place counts as spaces. */
function isHeader(bytes: Buffer, at: number): boolean {
  let sum = 0;
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 32 : (bytes[at + i] ?? 0);
  return sum === numberAt(bytes, at + 148, 8);
}

/** Reads a number, which is octal digits, or after a first bit the number itself. */
function numberAt(bytes: Buffer, at: number, length: number): number | undefined {
  const first = bytes[at] ?? 0;
  if (first >= 0x80) {
    let number = first & 0x7f;
    for (const byte of bytes.subarray(at + 1, at + length)) number = number * 256 + byte;
    return Number.isSafeInteger(number) ? number : undefined;
  }
  const digits = /^[0-7]+/.exec(bytes.toString('latin1', at, at + length).trimStart())?.[0];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

function nameAt(bytes: Buffer, header: number): string {
  const before = textAt(bytes, header + 345, 155);
  return (before === '' ? '' : `${before}/`) + textAt(bytes, header, 100);
}

function textAt(bytes: Buffer, at: number, length: number): string {
  const part = bytes.subarray(at, at + length);
  const end = part.indexOf(0);
  return part.toString('utf8', 0, Math.min(end < 0 ? part.length : end, MAX_NAME_BYTES));
}

/** Counts the bytes of the blocks that go on with the map of a file with holes. */
function mapBytes(bytes: Buffer, header: number): number {
  let length = 0;
  for (let goesOn = bytes[header + 482]; goesOn; length += BLOCK)
    goesOn = bytes[header + BLOCK + length + 504] ?? 0;
  return length;
}

/** Reads what an entry says about the next one. */
function saidIn(kind: string, body: Buffer): Said {
  if (kind === 'L') return { name: textAt(body, 0, body.length) };
  if (kind === 'K') return { target: textAt(body, 0, body.length) };
  const records = recordsIn(body);
  const number = (key: string) => {
    const text = records.get(key);
    return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  };
  const name = records.get('GNU.sparse.name') ?? records.get('path');
  const target = records.get('linkpath');
  const packed = number('size');
  const size = number('GNU.sparse.realsize') ?? number('GNU.sparse.size');
  return {
    ...(name === undefined ? {} : { name }),
    ...(target === undefined ? {} : { target }),
    ...(packed === undefined ? {} : { packed }),
    ...(size === undefined ? {} : { size }),
  };
}

/** Reads records by the length that each begins with: a value may hold what looks like another. */
function recordsIn(body: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < body.length; ) {
    const digits = /^\d{1,7}(?= )/.exec(body.toString('latin1', at, at + 8))?.[0] ?? '';
    const end = at + Number(digits);
    const said = body.subarray(at + digits.length + 1, end - 1);
    if (end <= at + digits.length + 1 || end > body.length) break;
    const equals = said.indexOf(61);
    if (equals > 0) {
      const value = said.subarray(equals + 1, equals + 1 + MAX_NAME_BYTES);
      records.set(said.toString('utf8', 0, equals), value.toString());
    }
    at = end;
  }
  return records;
}
