import { type ArchivePiece, linesOf, pieceName } from '../core/ledger-archive.ts';
import type { Sql } from '../storage/sql.ts';
import { pieceBelow } from './archive-rows.ts';
import { type ArchiveStore, unpacked } from './archive-store.ts';
import { type LedgerEntry, type LedgerFilter, type LedgerPage, MAX_PAGE, readLedger } from './ledger.ts';
import { lowestSeq } from './ledger-place.ts';
import { withRestored } from './restored-ledger.ts';

/** The most pieces to fetch for one page. The page ends early instead of taking longer. */
const MAX_FETCHED = 8;
/** The number of pieces to keep, because whoever pages through a piece asks for it again and again. */
const MAX_KEPT = 2;

/** Reads the calls of pieces, and checks them against the database's record of each piece. */
export class ArchiveReader {
  readonly #store: ArchiveStore;
  readonly #kept = new Map<string, readonly LedgerEntry[]>();

  constructor(store: ArchiveStore) {
    this.#store = store;
  }

  /** Gives a piece's whole file, or `undefined` if it is missing or too damaged to read. */
  async file(piece: ArchivePiece): Promise<string | undefined> {
    const bytes = await this.#store.get(pieceName(piece));
    return bytes && unpacked(bytes);
  }

  /** Gives its calls, lowest number first, or why nobody can read them. */
  async calls(piece: ArchivePiece): Promise<readonly LedgerEntry[] | { problem: string }> {
    const known = this.#kept.get(piece.hash);
    if (known) return known;
    const file = await this.file(piece);
    if (file === undefined) return { problem: 'it is gone or damaged' };
    const found = linesOf(piece, file);
    if ('problem' in found) return found;
    // These lines have the right hash, so this side wrote them.
    const calls: readonly LedgerEntry[] = found.lines.map((line) => JSON.parse(line));
    this.#kept.set(piece.hash, calls);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) break;
      this.#kept.delete(oldest);
    }
    return calls;
  }
}

/** Gives a page of the whole ledger: first the database, then the archive, then what came from a backup. */
export async function readWhole(sql: Sql, reader: ArchiveReader, filter: LedgerFilter): Promise<LedgerPage> {
  const live = readLedger(sql, filter);
  if (live.next !== null) return live;
  const size = Math.min(filter.limit ?? 50, MAX_PAGE);
  const entries = [...live.entries];
  const missing: string[] = [];
  let below = Math.min(filter.before ?? Number.MAX_SAFE_INTEGER, lowestSeq(sql));
  for (let fetched = 0; entries.length <= size; fetched++) {
    // More calls may move out while a piece is fetched. Numbers tell where to continue, wherever a call is by
    // then.
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

/** Gives the calls that the database would pick by the same filter, highest number first. */
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
