import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** An entry of an archive. */
export interface Packed {
  readonly name: string;
  readonly bytes: number;
}

/** What an archive holds, or why nobody can tell. */
export type Listing =
  | { readonly kind: 'zip' | 'tar'; readonly entries: readonly Packed[]; readonly more: number }
  | { readonly kind: 'zip' | 'tar'; readonly problem: string };

/** The most entries to list. Others are counted. */
export const MAX_ENTRIES = 1_000;
/** The most that a compressed tar may unpack to. */
const MAX_UNPACKED = 64 * 1024 * 1024;

/** Lists an archive without unpacking its files; `undefined` if the bytes are none. */
export async function listArchive(bytes: Buffer, maxUnpacked = MAX_UNPACKED): Promise<Listing | undefined> {
  if (isZip(bytes)) return zipListing(bytes);
  if (isTar(bytes)) return tarListing(bytes);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return undefined;
  const unpacked = await unzipped(bytes, maxUnpacked);
  if (typeof unpacked === 'string') return { kind: 'tar', problem: unpacked };
  return isTar(unpacked) ? tarListing(unpacked) : undefined;
}

const unpack = promisify(gunzip);

async function unzipped(bytes: Buffer, maxOutputLength: number): Promise<Buffer | string> {
  try {
    return await unpack(bytes, { maxOutputLength });
  } catch (error) {
    const isLarge = error instanceof RangeError;
    return isLarge ? `unpacks to more than ${maxOutputLength} bytes` : 'is damaged and cannot be unpacked';
  }
}

const END_BYTES = 22;
const MAX_COMMENT = 65_535;
const DAMAGED = 'has a damaged list of files';

function isZip(bytes: Buffer): boolean {
  const mark = bytes.length >= 4 ? bytes.readUInt32LE(0) : 0;
  return mark === 0x04034b50 || mark === 0x06054b50;
}

/** Reads the list at a zip's end. */
function zipListing(bytes: Buffer): Listing {
  const end = endOfZip(bytes);
  if (end === undefined) return { kind: 'zip', problem: DAMAGED };
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  const entries: Packed[] = [];
  for (let i = 0; i < count && entries.length < MAX_ENTRIES; i++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50)
      return { kind: 'zip', problem: DAMAGED };
    const [name, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const nameEnd = at + 46 + (name ?? 0);
    entries.push({ name: bytes.toString('utf8', at + 46, nameEnd), bytes: bytes.readUInt32LE(at + 24) });
    at = nameEnd + (extra ?? 0) + (comment ?? 0);
  }
  return { kind: 'zip', entries, more: count - entries.length };
}

function endOfZip(bytes: Buffer): number | undefined {
  const first = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT);
  for (let at = bytes.length - END_BYTES; at >= first; at--)
    if (bytes.readUInt32LE(at) === 0x06054b50) return at;
  return undefined;
}

const BLOCK = 512;

function isTar(bytes: Buffer): boolean {
  return bytes.length >= BLOCK && bytes.toString('latin1', 257, 262) === 'ustar' && isHeader(bytes, 0);
}

/** Checks the sum of a header, in which the sum's own place counts as spaces. */
function isHeader(bytes: Buffer, at: number): boolean {
  let sum = 0;
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 32 : (bytes[at + i] ?? 0);
  return sum === octal(bytes, at + 148, 8);
}

function octal(bytes: Buffer, at: number, length: number): number | undefined {
  const digits = /^[0-7]+/.exec(bytes.toString('latin1', at, at + length).trimStart())?.[0];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

/** Kinds of tar entries that stand for nothing by themselves: they say more about the next one. */
const ABOUT_NEXT = new Set(['x', 'g', 'L', 'K']);

/** Reads the header before each file of a tar. */
function tarListing(bytes: Buffer): Listing {
  const entries: Packed[] = [];
  let more = 0;
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0; ) {
    const size = octal(bytes, at + 124, 12);
    if (!isHeader(bytes, at) || size === undefined) return { kind: 'tar', problem: DAMAGED };
    const kind = String.fromCharCode(bytes[at + 156] ?? 0);
    const body = at + BLOCK;
    if (ABOUT_NEXT.has(kind))
      longName = nameSaid(kind, bytes.toString('utf8', body, body + Math.min(size, 8_192))) ?? longName;
    else {
      const prefix = text(bytes, at + 345, 155);
      const name = longName ?? (prefix === '' ? '' : `${prefix}/`) + text(bytes, at, 100);
      if (entries.length < MAX_ENTRIES) entries.push({ name, bytes: size });
      else more += 1;
      longName = undefined;
    }
    at = body + Math.ceil(size / BLOCK) * BLOCK;
  }
  return { kind: 'tar', entries, more };
}

function text(bytes: Buffer, at: number, length: number): string {
  return bytes.toString('utf8', at, at + length).split('\0', 1)[0] ?? '';
}

function nameSaid(kind: string, body: string): string | undefined {
  if (kind === 'L') return body.split('\0', 1)[0];
  if (kind !== 'x') return undefined;
  const line = body.split('\n').find((one) => one.includes(' path='));
  return line?.slice(line.indexOf(' path=') + ' path='.length);
}
