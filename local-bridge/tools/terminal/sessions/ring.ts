import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The bytes in one file of a ring. */
const PIECE_BYTES = 262_144;
/** The number of files, so that a ring takes 4 MB at most. */
const MAX_PIECES = 16;

/** A part of a session's output. */
export interface Stretch {
  readonly text: string;
  /** The offset of the first byte after it. */
  readonly next: number;
  /** The bytes before it that are kept no more. */
  readonly missed: number;
}

/** Keeps the end of a session's clean output on disk. Offsets count bytes from the very beginning. */
export interface Ring {
  readonly end: number;
  /** Adds a text. What the disk does not take is counted, and missing when it is read. Gives false then. */
  append(text: string): boolean;
  read(offset: number, most: number): Stretch;
  close(): void;
}

interface Piece {
  readonly path: string;
  readonly fd: number;
  start: number;
  bytes: number;
}

interface RingSettings {
  readonly pieceBytes?: number;
  /** Writes to the disk, and gives how much of it was written. */
  readonly write?: (fd: number, bytes: Buffer, at: number) => number;
}

const writeToDisk = (fd: number, bytes: Buffer, at: number) => writeSync(fd, bytes, 0, bytes.length, at);

/** Opens a ring in a new folder that only this user can read. */
export function openRing(folder: string, settings: RingSettings = {}): Ring {
  const { pieceBytes = PIECE_BYTES, write = writeToDisk } = settings;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pieces: Piece[] = [];
  let end = 0;
  let files = 0;
  /** The piece to add to. Each holds bytes that follow one another, so another begins after what is missing. */
  const current = (): Piece => {
    const last = pieces.at(-1);
    if (last?.bytes === 0) last.start = end;
    if (last && last.start + last.bytes === end && last.bytes < pieceBytes) return last;
    const path = join(folder, `${files++}`);
    const piece = { path, fd: openSync(path, 'wx+', 0o600), start: end, bytes: 0 };
    pieces.push(piece);
    if (pieces.length > MAX_PIECES) drop(pieces.shift());
    return piece;
  };
  const add = (bytes: Buffer) => {
    const piece = current();
    const written = write(piece.fd, bytes.subarray(0, pieceBytes - piece.bytes), piece.bytes);
    if (written === 0) throw new Error('The disk took nothing.');
    piece.bytes += written;
    end += written;
    return bytes.subarray(written);
  };
  return {
    get end() {
      return end;
    },
    append: (text) => {
      let bytes: Buffer = Buffer.from(text);
      try {
        while (bytes.length > 0) bytes = add(bytes);
        return true;
      } catch {
        end += bytes.length;
        return false;
      }
    },
    read: (offset, most) => {
      const from = Math.min(Math.max(offset, firstKept(pieces, offset) ?? end), end);
      const parts: Buffer[] = [];
      let at = from;
      /** Where the bytes end that follow one another. */
      let until = from;
      for (const piece of pieces) {
        if (piece.start + piece.bytes <= from) continue;
        if (piece.start > until) break;
        until = piece.start + piece.bytes;
        const part = Buffer.alloc(Math.min(from + most, until) - at);
        if (part.length === 0) break;
        readSync(piece.fd, part, 0, part.length, at - piece.start);
        parts.push(part);
        at += part.length;
      }
      const { text, skipped, used } = wholeCharacters(Buffer.concat(parts), at === until);
      return { text, next: from + used, missed: Math.max(0, from - offset) + skipped };
    },
    close: () => {
      for (const piece of pieces.splice(0)) drop(piece);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The first byte at an offset or after it that is kept. */
function firstKept(pieces: readonly Piece[], offset: number): number | undefined {
  const piece = pieces.find(({ start, bytes }) => bytes > 0 && offset < start + bytes);
  return piece && Math.max(piece.start, offset);
}

function drop(piece: Piece | undefined): void {
  if (!piece) return;
  closeSync(piece.fd);
  rmSync(piece.path, { force: true });
}

/** Gives the text between the first and the last whole character. An offset may point into one. */
function wholeCharacters(bytes: Buffer, isAll: boolean) {
  let start = 0;
  while (start < bytes.length && isInner(bytes[start])) start += 1;
  let end = bytes.length;
  if (!isAll) {
    let last = end - 1;
    while (last > start && isInner(bytes[last])) last -= 1;
    if (last >= start && (bytes[last] ?? 0) >= 0x80) end = last;
  }
  return { text: bytes.toString('utf8', start, end), skipped: start, used: end };
}

function isInner(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
