import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FileDatabase, openDatabase } from '../../local-bridge/local/gate/node-database.ts';
import type { Signer } from '../../src/core/signing.ts';
import { type ArchivePorts, LedgerArchive } from '../../src/gate/archive.ts';
import type { ArchiveStore } from '../../src/gate/archive-store.ts';
import type { LedgerEntry, LedgerFilter } from '../../src/gate/ledger.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { PROJECT } from './up.ts';

const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

/** A gate's database with its schema. */
export function newDatabase(path = ':memory:'): FileDatabase {
  const database = openDatabase(path);
  const folder = join(PROJECT, 'migrations', 'gate');
  const steps = readdirSync(folder)
    .toSorted()
    .map((name) => ({ name, sql: readFileSync(join(folder, name), 'utf8') }));
  database.transactionSync(() => migrate(database, steps));
  return database;
}

/** A store in memory. */
export class KeptFiles implements ArchiveStore {
  readonly files = new Map<string, Uint8Array>();

  async put(name: string, bytes: Uint8Array): Promise<void> {
    this.files.set(name, bytes);
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    return this.files.get(name);
  }
}

const TOOLS = ['hello', 'web_fetch', 'run_in_terminal'];

/** Writes calls, one a minute, the last of them at a time; some failed, some ran on a machine, some have no end. */
export function writeCalls({ sql }: FileDatabase, count: number, lastAt: number): void {
  const { next } = sql
    .exec<{ next: number }>('SELECT coalesce(max(seq), 0) + 1 AS next FROM call WHERE 1 = ?', 1)
    .one();
  for (let i = 0; i < count; i++) {
    const seq = next + i;
    const at = lastAt - (count - 1 - i) * MINUTE;
    const outcome = seq % 7 ? 'ok' : 'failed';
    const code = seq % 7 ? null : 'timeout';
    // As reads that went well are written.
    const isWhole = seq % 3 === 1 && outcome === 'ok' && seq % 10 !== 0;
    sql.exec(
      'INSERT INTO call VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 0, ?, ?, NULL, ?, ?)',
      ...[seq, `call_${seq}`, at, seq % 2 ? 'ada' : 'bob', seq % 5 ? 'Claude' : 'Codex', 'mcp'],
      ...[
        TOOLS[seq % 3] ?? '',
        seq % 4 ? null : 'mini',
        `digest ${seq}`,
        `{"n":"${seq} ${'é'.repeat(200)}"}`,
      ],
      ...['allowed', 'needs no approval', ...(isWhole ? [at + 20, 5] : [null, null])],
    );
    if (seq % 10 === 0 || isWhole) continue;
    sql.exec('INSERT INTO call_end VALUES (?, ?, ?, ?, 5, NULL)', seq, at + 20, outcome, code);
  }
}

/** An archive with pieces of ten calls, which begins as soon as anything can go. */
export function archiveOf(
  storage: FileDatabase,
  store: ArchiveStore,
  more: Partial<ArchivePorts> & { readonly signer?: Signer | undefined } = {},
): LedgerArchive {
  return new LedgerArchive({
    storage,
    store,
    usedBytes: storage.usedBytes,
    maxBytes: () => 0,
    signer: undefined,
    most: { calls: 10, chars: 1_000_000 },
    ...more,
  });
}

export const seqs = (entries: readonly LedgerEntry[]) => entries.map(({ seq }) => seq);
export const downFrom = (last: number) => Array.from({ length: last }, (_, i) => last - i);

/** How many calls are in the database. */
export const liveCalls = ({ sql }: FileDatabase) =>
  sql.exec<{ n: number }>('SELECT count(*) AS n FROM call WHERE 1 = ?', 1).one().n;

/** Every page of a ledger, one after the other. */
export async function allPages(archive: LedgerArchive, filter: LedgerFilter = {}): Promise<LedgerEntry[]> {
  const all: LedgerEntry[] = [];
  let before: number | undefined;
  for (let pages = 0; pages < 1_000; pages++) {
    const { entries, next } = await archive.page({ limit: 17, ...filter, before });
    all.push(...entries);
    if (next === null) return all;
    before = next;
  }
  throw new Error('the pages have no end');
}
