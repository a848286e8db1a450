import {
  type ArchivePiece,
  archiveText,
  linesOf,
  pieceFile,
  pieceName,
  sha256Hex,
} from '../core/ledger-archive.ts';
import type { Signer } from '../core/signing.ts';
import type { Database } from '../storage/sql.ts';
import { dropOver } from './approvals.ts';
import { ArchiveReader, readWhole } from './archive-read.ts';
import { MAX_PIECE, moveOut, nextChunk, nextLink, pieceNumbered, piecesAfter } from './archive-rows.ts';
import { type ArchiveStore, packed } from './archive-store.ts';
import { dropResults, forgetResults } from './calls.ts';
import { callBySeq, type LedgerFilter, type LedgerPage, type WholeEntry } from './ledger.ts';
import { lowestSeq } from './ledger-place.ts';

export interface ArchivePorts {
  readonly storage: Database;
  readonly store: ArchiveStore;
  /** Gives the used size of the database. */
  usedBytes(): number;
  /** Gives the size above which old calls move out. */
  maxBytes(): number;
  /** Without a signer, pieces are chained but not signed. */
  readonly signer: Signer | undefined;
  /** The most to put into one piece. */
  readonly most?: typeof MAX_PIECE;
}

/** Stop a tenth below the limit, so that not every call starts a new turn. */
const DOWN_TO = 0.9;
/** The number of results to drop at once if nothing else can go. */
const RESULTS_AT_ONCE = 200;

/** The outcome of a turn: the database is small enough, there is more to do, or nothing can go yet. */
export type Turn = 'done' | 'more' | 'stuck';

/** Keeps the gate's database from growing without end, and reads what moved out of it. */
export class LedgerArchive {
  readonly #ports: ArchivePorts;
  readonly #reader: ArchiveReader;
  #running: Promise<Turn> | undefined;
  /** True from the moment the database is too big until there is room enough. */
  #isAtIt = false;

  constructor(ports: ArchivePorts) {
    this.#ports = ports;
    this.#reader = new ArchiveReader(ports.store);
  }

  isDue(): boolean {
    return this.#ports.usedBytes() > this.#ports.maxBytes();
  }

  /** Makes room, a few pieces at most. If it is interrupted anywhere, the next turn goes on. */
  async makeRoom(maxPieces: number): Promise<Turn> {
    // A turn that overlaps another would only make the same pieces.
    this.#running ??= this.#turn(maxPieces).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #turn(maxPieces: number): Promise<Turn> {
    this.#isAtIt ||= this.isDue();
    if (!this.#isAtIt) return 'done';
    const turn = await this.#goOn(maxPieces);
    this.#isAtIt = turn === 'more';
    return turn;
  }

  async #goOn(maxPieces: number): Promise<Turn> {
    const { storage, usedBytes, maxBytes } = this.#ports;
    const isOver = () => usedBytes() > maxBytes() * DOWN_TO;
    forgetResults(storage.sql, Date.now());
    for (let pieces = 0; isOver(); pieces++) {
      if (pieces === maxPieces) return 'more';
      if (!(await this.#moveOne())) break;
    }
    if (!isOver()) return 'done';
    // Only calls of the last day are left. A repeat of one whose result was dropped is still refused.
    const dropped = [dropOver(storage.sql, Date.now()), dropResults(storage.sql, RESULTS_AT_ONCE)];
    if (!isOver()) return 'done';
    return dropped.includes(true) ? 'more' : 'stuck';
  }

  /** Moves one piece out. Gives `false` if none may go. */
  async #moveOne(): Promise<boolean> {
    const { storage, store, signer, most = MAX_PIECE } = this.#ports;
    const chunk = nextChunk(storage.sql, Date.now(), most);
    if (!chunk) return false;
    const { body: lines, ...rest } = chunk;
    const said = { ...nextLink(storage.sql), ...rest, body: sha256Hex(lines) };
    const text = archiveText(said);
    const signature = signer ? await signer.sign(text) : null;
    const piece: ArchivePiece = { ...said, hash: sha256Hex(text), signature };
    await store.put(pieceName(piece), await packed(pieceFile(piece, lines)));
    // Remove nothing here before it was read back from the store.
    const file = await this.#reader.file(piece);
    const kept = file === undefined ? { problem: 'it is gone or damaged' } : linesOf(piece, file);
    if ('problem' in kept) throw new Error(`The archive did not keep piece ${piece.piece}: ${kept.problem}.`);
    // If something changed meanwhile, the piece does not join the archive, and the next turn makes it again.
    moveOut(storage, piece);
    return true;
  }

  page(filter: LedgerFilter): Promise<LedgerPage> {
    return readWhole(this.#ports.storage.sql, this.#reader, filter);
  }

  /** Gives one call, wherever it is. */
  async call(seq: number): Promise<WholeEntry | null> {
    const live = callBySeq(this.#ports.storage.sql, seq);
    if (live) return live;
    const [found] = (await this.page({ before: seq + 1, limit: 1 })).entries;
    return found?.seq === seq ? { ...found, result: null } : null;
  }

  /** Describes the archive for whoever verifies it. */
  async pieces(after: number) {
    const { storage, signer, usedBytes, maxBytes } = this.#ports;
    const key = (await signer?.publicKey()) ?? null;
    // Read both in one turn, because a call that is in no piece must be in the database.
    return {
      pieces: piecesAfter(storage.sql, after, 500),
      key,
      /** The lowest number of a call that is still in the database. */
      lowest: lowestSeq(storage.sql),
      bytes: usedBytes(),
      max_bytes: maxBytes(),
    };
  }

  /** Gives a piece's stored file, or null if there is none or nobody can read it. */
  async file(number: number): Promise<string | null> {
    const piece = pieceNumbered(this.#ports.storage.sql, number);
    return (piece && (await this.#reader.file(piece))) ?? null;
  }
}
