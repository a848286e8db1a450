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
  append(text: string): void;
  read(offset: number, most: number): Stretch;
  close(): void;
}

interface Piece {
  readonly path: string;
  readonly fd: number;
  readonly start: number;
  bytes: number;
}

/** Opens a ring in a new folder that only this user can read. */
export function openRing(folder: string, pieceBytes = PIECE_BYTES): Ring {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pieces: Piece[] = [];
  let end = 0;
  const current = (): Piece => {
    const last = pieces.at(-1);
    if (last && last.bytes < pieceBytes) return last;
    const path = join(folder, `${end}`);
    const piece = { path, fd: openSync(path, 'wx+', 0o600), start: end, bytes: 0 };
    pieces.push(piece);
    if (pieces.length > MAX_PIECES) drop(pieces.shift());
    return piece;
  };
  return {
    get end() {
      return end;
    },
    append: (text) => {
      let bytes = Buffer.from(text);
      while (bytes.length > 0) {
        const piece = current();
        const part = bytes.subarray(0, pieceBytes - piece.bytes);
        writeSync(piece.fd, part, 0, part.length, piece.bytes);
        piece.bytes += part.length;
        end += part.length;
        bytes = bytes.subarray(part.length);
      }
    },
    read: (offset, most) => {
      const first = pieces[0]?.start ?? 0;
      const from = Math.min(Math.max(offset, first), end);
      const parts: Buffer[] = [];
      let at = from;
      for (const piece of pieces) {
        const room = from + most - at;
        const start = at - piece.start;
        if (room <= 0 || start >= piece.bytes) continue;
        const part = Buffer.alloc(Math.min(room, piece.bytes - start));
        readSync(piece.fd, part, 0, part.length, start);
        parts.push(part);
        at += part.length;
      }
      const { text, skipped, used } = wholeCharacters(Buffer.concat(parts), at === end);
      return { text, next: from + used, missed: Math.max(0, from - offset) + skipped };
    },
    close: () => {
      for (const piece of pieces.splice(0)) drop(piece);
      rmSync(folder, { recursive: true, force: true });
    },
  };
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
