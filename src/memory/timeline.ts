import { MEMORY_FILES } from '../../contracts/memory.ts';
import type { ChainEntry } from '../core/chain.ts';
import { headOf, lastCheckpoint } from './log.ts';

/** The top of the memory's page. */
export interface MemoryOverview {
  readonly files: readonly { readonly file: string; readonly lines: number; readonly at: number | null }[];
  readonly seq: number;
  readonly head: string;
  readonly checkpoint: { readonly seq: number; readonly at: number };
  readonly locked: string | null;
}

/** The place of a page of the timeline: in one file by line, or in the whole log by number. */
export interface TimelinePlace {
  readonly file: string | null;
  /** Only entries before this line or number; `null` for all. */
  readonly before: number | null;
}

/** A page of the timeline, newest first. */
export interface TimelinePage {
  readonly entries: readonly ChainEntry[];
  /** The next page ends before this; null at the beginning of the log. */
  readonly next: number | null;
}

type Row = ChainEntry & Record<string, SqlStorageValue>;

/** The most characters on a page, however many entries that is. */
const PAGE_CHARS = 64 * 1024;

/** Gives each file's length and last change, and the end of the chain. Each needs one look at an index. */
export function overviewOf(sql: SqlStorage, locked: string | undefined): MemoryOverview {
  const { seq, hash } = headOf(sql);
  return {
    files: MEMORY_FILES.map((file) => {
      const last = sql
        .exec<{ line: number; at: number }>(
          'SELECT line, at FROM log WHERE file = ? ORDER BY line DESC LIMIT 1',
          file,
        )
        .toArray()[0];
      return { file, lines: last?.line ?? 0, at: last?.at ?? null };
    }),
    seq,
    head: hash,
    checkpoint: lastCheckpoint(sql),
    locked: locked ?? null,
  };
}

/**
 * Reads a page of the timeline. It looks entries up by number, so a page costs the same in a log of any
 * length.
 */
export function timeline(sql: SqlStorage, { file, before }: TimelinePlace, limit: number): TimelinePage {
  const from = before ?? Number.MAX_SAFE_INTEGER;
  const rows =
    file === null
      ? sql.exec<Row>('SELECT * FROM log WHERE seq < ? ORDER BY seq DESC LIMIT ?', from, limit + 1)
      : sql.exec<Row>(
          'SELECT * FROM log WHERE file = ? AND line < ? ORDER BY line DESC LIMIT ?',
          file,
          from,
          limit + 1,
        );
  const entries: ChainEntry[] = [];
  let chars = 0;
  for (const row of rows) {
    chars += row.body.length;
    if (entries.length === limit || (entries.length > 0 && chars > PAGE_CHARS)) {
      const last = entries.at(-1);
      return { entries, next: (file === null ? last?.seq : last?.line) ?? null };
    }
    entries.push({ ...row });
  }
  return { entries, next: null };
}
