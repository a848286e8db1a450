import { createHash } from 'node:crypto';

/** A piece of the ledger that was moved out of the database, with its proof. */
export interface ArchivePiece {
  /** The piece's place among all pieces, from 1. */
  readonly piece: number;
  /** The lowest and the highest number of its calls. */
  readonly first: number;
  readonly last: number;
  readonly calls: number;
  /** The earliest and the latest time of its calls. */
  readonly since: number;
  readonly until: number;
  /** The SHA-256 of its lines. */
  readonly body: string;
  /** The hash of the piece before. */
  readonly prev: string;
  /** The SHA-256 of `archiveText`. */
  readonly hash: string;
  /** An Ed25519 signature over `archiveText`, in base64url; `null` if the gateway had no key then. */
  readonly signature: string | null;
}

type Said = Omit<ArchivePiece, 'hash' | 'signature'>;

/** The hash that the first piece links to. */
export const FIRST_PREV = '0'.repeat(64);

/** Gives the text that a piece's hash and signature cover. */
export function archiveText({ piece, first, last, calls, since, until, body, prev }: Said): string {
  return `bowline-ledger-archive-1\n${[piece, first, last, calls, since, until, body, prev].join('\n')}`;
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Names the file of a piece. The name has the hash in it, so that no other content ever takes its place. */
export function pieceName({ piece, hash }: Pick<ArchivePiece, 'piece' | 'hash'>): string {
  return `ledger/${String(piece).padStart(8, '0')}-${hash}.jsonl.gz`;
}

/** Writes a piece as a file: a header, then one call per line, the lowest number first. */
export function pieceFile(piece: ArchivePiece, body: string): string {
  return `${JSON.stringify(piece)}\n${body}`;
}

/** Reads the calls of a piece as lines, or says what is wrong with its file. */
export function linesOf(piece: ArchivePiece, file: string): { lines: string[] } | { problem: string } {
  const end = file.indexOf('\n');
  const body = file.slice(end + 1);
  if (end < 0 || sha256Hex(body) !== piece.body) return { problem: 'its calls do not match its hash' };
  const lines = body.split('\n');
  lines.pop();
  return lines.length === piece.calls
    ? { lines }
    : { problem: `it holds ${lines.length} calls and not ${piece.calls}` };
}

/**
 * Gives the call number that follows a side's last piece. Calls of this gateway count up from 1, restored
 * ones down from -1.
 */
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

  /** The number with which this gateway's calls continue after the archive. */
  get nextLive(): number {
    return nextPlace(true, this.#live);
  }

  /** Checks the next piece. Gives what is wrong with it, or `undefined`. */
  next(piece: ArchivePiece): string | undefined {
    const due = this.#pieces + 1;
    if (piece.piece !== due) return `it is numbered ${piece.piece} instead of ${due}`;
    if (piece.prev !== this.#head) return 'it is not linked to the piece before it';
    if (sha256Hex(archiveText(piece)) !== piece.hash) return 'its description does not match its hash';
    const isLive = piece.first > 0;
    const place = nextPlace(isLive, isLive ? this.#live : this.#restored);
    const actual = isLive ? piece.first : piece.last;
    if (actual !== place) return `it starts at call ${actual} instead of ${place}`;
    if (isLive) this.#live = piece;
    else this.#restored = piece;
    this.#pieces = piece.piece;
    this.#head = piece.hash;
    return undefined;
  }
}
