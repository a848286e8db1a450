import { DAMAGED, Entries, type Listing, MAX_NAME_BYTES } from './listing.ts';

const END_BYTES = 22;
const MAX_COMMENT = 65_535;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
/** Means that the number is elsewhere, because it may need eight bytes. */
const ELSEWHERE = 0xffff_ffff;

export function isZip(bytes: Buffer): boolean {
  const mark = bytes.length >= 4 ? bytes.readUInt32LE(0) : 0;
  return mark === 0x04034b50 || mark === 0x06054b50;
}

/** Reads the list at a zip's end. It counts what the list holds and not what the end says that it does. */
export function zipListing(bytes: Buffer): Listing {
  const list = listIn(bytes);
  if (!list) return { kind: 'zip', problem: DAMAGED };
  const entries = new Entries();
  let { at } = list;
  let count = 0;
  for (; isEntry(bytes, at); count++) {
    const [name = 0, extra = 0, comment = 0] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const start = at + ENTRY_BYTES;
    const end = start + name + extra + comment;
    if (end > bytes.length) return { kind: 'zip', problem: DAMAGED };
    const size = sizeOf(bytes, at, bytes.subarray(start + name, start + name + extra));
    entries.add(() => ({
      name: bytes.toString('utf8', start, start + Math.min(name, MAX_NAME_BYTES)),
      bytes: size,
    }));
    at = end;
  }
  if (count !== list.count) return { kind: 'zip', problem: DAMAGED };
  return { kind: 'zip', entries: entries.listed, more: entries.more, isCut: false };
}

function isEntry(bytes: Buffer, at: number): boolean {
  return at + ENTRY_BYTES <= bytes.length && bytes.readUInt32LE(at) === ENTRY;
}

/** Finds where the list begins, and how many entries it is said to have. */
function listIn(bytes: Buffer): { at: number; count: number } | undefined {
  const end = endOfZip(bytes);
  if (end === undefined) return undefined;
  const count = bytes.readUInt16LE(end + 10);
  const at = bytes.readUInt32LE(end + 16);
  return count === 0xffff || at === ELSEWHERE ? largeList(bytes, end) : { at, count };
}

/** Finds the list of a zip with many entries: the end has another end before it, and a pointer to that. */
function largeList(bytes: Buffer, end: number): { at: number; count: number } | undefined {
  const pointer = end - 20;
  if (pointer < 0 || bytes.readUInt32LE(pointer) !== 0x07064b50) return undefined;
  const large = Number(bytes.readBigUInt64LE(pointer + 8));
  if (large + 56 > pointer || bytes.readUInt32LE(large) !== 0x06064b50) return undefined;
  return {
    count: Number(bytes.readBigUInt64LE(large + 32)),
    at: Number(bytes.readBigUInt64LE(large + 48)),
  };
}

function endOfZip(bytes: Buffer): number | undefined {
  const first = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT);
  for (let at = bytes.length - END_BYTES; at >= first; at--)
    if (bytes.readUInt32LE(at) === 0x06054b50) return at;
  return undefined;
}

/** Gives the unpacked size of an entry, which may stand among its extra fields. */
function sizeOf(bytes: Buffer, entry: number, extra: Buffer): number {
  const size = bytes.readUInt32LE(entry + 24);
  if (size !== ELSEWHERE) return size;
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === 1 && at + 12 <= extra.length) return Number(extra.readBigUInt64LE(at + 4));
  }
  return size;
}
