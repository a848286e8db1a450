import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { shown } from '../workspace/path-rules.ts';
import type { Listing } from './listing.ts';
import { isTar, tarListing } from './tar.ts';
import { isZip, zipListing } from './zip.ts';

/** The most that a compressed tar may unpack to. */
const MAX_UNPACKED = 64 * 1024 * 1024;

/** Tells whether bytes begin as an archive does, or as something packed that may be one. */
export function mayBeArchive(bytes: Buffer): boolean {
  return isZip(bytes) || isTar(bytes) || isGzip(bytes);
}

/** Lists an archive without unpacking its files; `undefined` if the bytes are none. */
export async function listArchive(bytes: Buffer, maxUnpacked = MAX_UNPACKED): Promise<Listing | undefined> {
  if (isZip(bytes)) return zipListing(bytes);
  if (isTar(bytes)) return tarListing(bytes);
  if (!isGzip(bytes)) return undefined;
  const unpacked = await unzipped(bytes, maxUnpacked);
  if (typeof unpacked === 'string') return { kind: 'tar', problem: unpacked };
  return isTar(unpacked) ? tarListing(unpacked) : undefined;
}

/** Writes a list of files, one a line. */
export function listingText({ entries, more, isCut }: Extract<Listing, { entries: unknown }>): string {
  const lines = entries.map(({ name, bytes, target }) => {
    const leads = target === undefined ? '' : ` -> ${shown(target)}`;
    return `${String(bytes).padStart(12)}  ${shown(name)}${leads}\n`;
  });
  if (more > 0) lines.push(`(and ${more} more)\n`);
  if (isCut) lines.push('(the archive ends in the middle of a file)\n');
  return lines.join('');
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

/** Recognises what unpacks to something larger. */
export function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
