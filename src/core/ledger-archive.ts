import { createHash } from 'node:crypto';

/** A piece of the ledger that was moved out of the database, and what proves it. */
export interface ArchivePiece {
  /** Its place among the pieces, from 1. */
  readonly piece: number;
  /** The lowest and the highest number of a call in it. */
  readonly first: number;
  readonly last: number;
  readonly calls: number;
  /** The earliest and the latest time of a call in it. */
  readonly since: number;
  readonly until: number;
  /** SHA-256 of its lines. */
  readonly body: string;
  /** The hash of the piece before. */
  readonly prev: string;
  /** SHA-256 of `archiveText`. */
  readonly hash: string;
  /** Ed25519 over `archiveText`, base64url; null if the gateway had no key then. */
  readonly signature: string | null;
}

type Said = Omit<ArchivePiece, 'hash' | 'signature'>;

/** What the first piece is linked to. */
export const FIRST_PREV = '0'.repeat(64);

/** What a piece's hash and signature are over. */
export function archiveText({ piece, first, last, calls, since, until, body, prev }: Said): string {
  return `bowline-ledger-archive-1\n${[piece, first, last, calls, since, until, body, prev].join('\n')}`;
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Where a piece is kept. The hash is in the name, so that no other content ever takes its place. */
export function pieceName({ piece, hash }: Pick<ArchivePiece, 'piece' | 'hash'>): string {
  return `ledger/${String(piece).padStart(8, '0')}-${hash}.jsonl.gz`;
}

/** A piece as a file: what is said about it, and then one call a line, the lowest number first. */
export function pieceFile(piece: ArchivePiece, body: string): string {
  return `${JSON.stringify(piece)}\n${body}`;
}

/** The calls of a piece, as lines, or what is wrong with its file. */
export function linesOf(piece: ArchivePiece, file: string): { lines: string[] } | { problem: string } {
  const end = file.indexOf('\n');
  const body = file.slice(end + 1);
  if (end < 0 || sha256Hex(body) !== piece.body) return { problem: 'its calls do not have its hash' };
  const lines = body.split('\n');
  lines.pop();
  return lines.length === piece.calls
    ? { lines }
    : { problem: `it holds ${lines.length} calls and not ${piece.calls}` };
}

/** Where the pieces of each side of zero end: calls of this gateway go upwards from 1, restored ones downwards from -1. */
export function nextPlace(isLive: boolean, last: Pick<ArchivePiece, 'first' | 'last'> | undefined): number {
  return isLive ? (last?.last ?? 0) + 1 : (last?.first ?? 0) - 1;
}

/** Checks pieces one by one, in order. */
export class ArchiveVerifier {
  #pieces = 0;
  #head = FIRST_PREV;
  #live: ArchivePiece | undefined;
  #restored: ArchivePiece | undefined;

  get pieces(): number {
    return this.#pieces;
  }

  get head(): string {
    return this.#head;
  }

  /** The number that the calls of this gateway go on with, behind the archive. */
  get nextLive(): number {
    return nextPlace(true, this.#live);
  }

  /** What is wrong with the next piece; `undefined` if nothing is. */
  next(piece: ArchivePiece): string | undefined {
    const due = this.#pieces + 1;
    if (piece.piece !== due) return `it is numbered ${piece.piece}, and ${due} was to come`;
    if (piece.prev !== this.#head) return 'it is not linked to the piece before it';
    if (sha256Hex(archiveText(piece)) !== piece.hash) return 'what is said about it does not have its hash';
    const isLive = piece.first > 0;
    const place = nextPlace(isLive, isLive ? this.#live : this.#restored);
    const actual = isLive ? piece.first : piece.last;
    if (actual !== place) return `it starts at call ${actual}, and ${place} was to come`;
    if (isLive) this.#live = piece;
    else this.#restored = piece;
    this.#pieces = piece.piece;
    this.#head = piece.hash;
    return undefined;
  }
}
