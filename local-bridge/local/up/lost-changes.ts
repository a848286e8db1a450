import { readFileSync, statSync } from 'node:fs';

/*
 * SQLite keeps the last changes of a database in a log beside it (`-wal`), and an index of that log in memory that
 * programs share as a file (`-shm`). After a kill all three stay. SQLite takes a log that is missing, or that ends early,
 * for all that there ever was, and says nothing. But the index still knows how long the log was.
 * The formats: https://sqlite.org/walformat.html
 */

const LOG_HEADER = 32;
const FRAME_HEADER = 24;
/** The index begins with its header, with a copy of it, and with how many frames the database itself already has. */
const INDEX_HEADER = 48;
const INDEX_BYTES = 2 * INDEX_HEADER + 4;
const INDEX_VERSION = 3_007_000;
/** The end of what the checksum of the index's header is over. */
const INDEX_SUMMED = 40;
/** The last bit says in which order of bytes its checksums are made. */
const LOG_MAGIC = 0x37_7f_06_82;

type Sum = readonly [number, number];

interface Index {
  readonly frames: number;
  readonly pageSize: number;
  readonly salts: Buffer;
  /** The checksum of the last frame, which is over all before it too. */
  readonly sum: Sum;
}

/** Says which file lacks changes that the database had, if one does. */
export function lostChanges(database: string): { readonly path: string; readonly why: string } | undefined {
  const index = readIndex(bytesOf(`${database}-shm`));
  if (!index) return undefined;
  const path = `${database}-wal`;
  const log = bytesOf(path);
  if (log === undefined) return { path, why: 'it is missing, and with it the last changes' };
  if (holds(log, index)) return undefined;
  return { path, why: log.length === 0 ? 'it is empty' : 'it does not hold all of the last changes' };
}

/** Reads what the index says of the log. Gives nothing if it says that the database has everything, or if it is damaged. */
function readIndex(bytes: Buffer | undefined): Index | undefined {
  if (bytes === undefined || bytes.length < INDEX_BYTES || bytes.readUInt32LE(0) !== INDEX_VERSION)
    return undefined;
  const header = bytes.subarray(0, INDEX_HEADER);
  // SQLite writes the copy first. If they differ, it was killed between the two.
  if (!header.equals(bytes.subarray(INDEX_HEADER, 2 * INDEX_HEADER))) return undefined;
  const [one, other] = summed([0, 0], header.subarray(0, INDEX_SUMMED), false);
  if (header.readUInt32LE(INDEX_SUMMED) !== one || header.readUInt32LE(INDEX_SUMMED + 4) !== other)
    return undefined;
  const frames = header.readUInt32LE(16);
  const inDatabase = bytes.readUInt32LE(2 * INDEX_HEADER);
  if (frames <= inDatabase) return undefined;
  const pageSize = header.readUInt16LE(14);
  return {
    frames,
    // The largest does not fit there.
    pageSize: pageSize === 1 ? 65_536 : pageSize,
    sum: [header.readUInt32LE(24), header.readUInt32LE(28)],
    salts: header.subarray(32, 40),
  };
}

/** Tells whether a log holds, unbroken, every frame that its index knows. */
function holds(log: Buffer, { frames, pageSize, salts, sum }: Index): boolean {
  const frameBytes = FRAME_HEADER + pageSize;
  if (log.length < LOG_HEADER + frames * frameBytes) return false;
  const magic = log.readUInt32BE(0);
  if (magic >>> 1 !== LOG_MAGIC >>> 1 || !log.subarray(16, 24).equals(salts)) return false;
  const isBig = (magic & 1) === 1;
  let now = summed([0, 0], log.subarray(0, 24), isBig);
  for (let at = LOG_HEADER, nth = 0; nth < frames; nth++, at += frameBytes) {
    now = summed(now, log.subarray(at, at + 8), isBig);
    now = summed(now, log.subarray(at + FRAME_HEADER, at + frameBytes), isBig);
  }
  return now[0] === sum[0] && now[1] === sum[1];
}

/** Goes on with SQLite's checksum over more bytes, eight at a time. */
function summed([one, other]: Sum, bytes: Buffer, isBig: boolean): Sum {
  let [first, second] = [one, other];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    first = (first + view.getUint32(at, !isBig) + second) >>> 0;
    second = (second + view.getUint32(at + 4, !isBig) + first) >>> 0;
  }
  return [first, second];
}

function bytesOf(path: string): Buffer | undefined {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path) : undefined;
}
