import { type ArchivePiece, linesOf, pieceName } from '../core/ledger-archive.ts';
import type { Sql } from '../storage/sql.ts';
import { pieceBelow } from './archive-rows.ts';
import { type ArchiveStore, unpacked } from './archive-store.ts';
import { type LedgerEntry, type LedgerFilter, type LedgerPage, MAX_PAGE, readLedger } from './ledger.ts';
import { lowestSeq } from './ledger-place.ts';
import { withRestored } from './restored-ledger.ts';

/** Pieces that one page may have fetched; it ends early instead of taking longer. */
const MAX_FETCHED = 8;
/** Whoever pages through a piece asks for it again and again. */
const MAX_KEPT = 2;

/** The calls of pieces, checked against what the database says of each. */
export class ArchiveReader {
  readonly #store: ArchiveStore;
  readonly #kept = new Map<string, readonly LedgerEntry[]>();

  constructor(store: ArchiveStore) {
    this.#store = store;
  }

  /** A piece's whole file; `undefined` if it is gone or damaged beyond reading. */
  async file(piece: ArchivePiece): Promise<string | undefined> {
    const bytes = await this.#store.get(pieceName(piece));
    return bytes && unpacked(bytes);
  }

  /** Its calls, lowest number first, or why they cannot be read. */
  async calls(piece: ArchivePiece): Promise<readonly LedgerEntry[] | { problem: string }> {
    const known = this.#kept.get(piece.hash);
    if (known) return known;
    const file = await this.file(piece);
    if (file === undefined) return { problem: 'it is gone or damaged' };
    const found = linesOf(piece, file);
    if ('problem' in found) return found;
    // Lines that have the hash are the ones that this side wrote.
    const calls: readonly LedgerEntry[] = found.lines.map((line) => JSON.parse(line));
    this.#kept.set(piece.hash, calls);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) break;
      this.#kept.delete(oldest);
    }
    return calls;
  }
}

/** A page of the whole ledger: what the database has, then the archive, then what came with a backup. */
export async function readWhole(sql: Sql, reader: ArchiveReader, filter: LedgerFilter): Promise<LedgerPage> {
  const live = readLedger(sql, filter);
  if (live.next !== null) return live;
  const size = Math.min(filter.limit ?? 50, MAX_PAGE);
  const entries = [...live.entries];
  const missing: string[] = [];
  let below = Math.min(filter.before ?? Number.MAX_SAFE_INTEGER, lowestSeq(sql));
  for (let fetched = 0; entries.length <= size; fetched++) {
    // More may be moved out while a piece is fetched. Numbers tell where to go on, whatever is where by then.
    const piece = pieceBelow(sql, below, filter);
    if (!piece) {
      const page = { entries, next: null, ...(missing.length > 0 ? { missing } : {}) };
      return withRestored(sql, page, { ...filter, limit: size, before: below });
    }
    if (fetched === MAX_FETCHED) return { entries, next: below, ...(missing.length > 0 ? { missing } : {}) };
    const calls = await reader.calls(piece);
    if ('problem' in calls) missing.push(`Calls ${piece.first} to ${piece.last}: ${calls.problem}.`);
    else entries.push(...matching(calls, { ...filter, before: below }).slice(0, size + 1 - entries.length));
    below = piece.first;
  }
  const shown = entries.slice(0, size);
  const next = shown.at(-1)?.seq ?? null;
  return { entries: shown, next, ...(missing.length > 0 ? { missing } : {}) };
}

/** What the database would pick by the same filter, highest number first. */
function matching(
  calls: readonly LedgerEntry[],
  { tool, principal, client, machine, outcome, before, since, until }: LedgerFilter,
): LedgerEntry[] {
  return calls
    .filter(
      (call) =>
        (tool === undefined || call.tool === tool) &&
        (principal === undefined || call.principal === principal) &&
        (client === undefined || call.client === client) &&
        (machine === undefined || call.machine === machine) &&
        (outcome === undefined || (call.outcome ?? 'running') === outcome) &&
        (before === undefined || call.seq < before) &&
        (since === undefined || call.at >= since) &&
        (until === undefined || call.at < until),
    )
    .toReversed();
}
