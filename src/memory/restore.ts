import { utf8Bytes } from '../../contracts/bytes.ts';
import { MAX_ENTRY_BYTES, MEMORY_FILES } from '../../contracts/memory.ts';
import { type ChainEntry, ChainVerifier, type Checkpoint } from '../core/chain.ts';
import { headOf, lastLine, writeCheckpoint } from './log.ts';

/** The log to restore, as its backup describes it. */
export interface WholeLog {
  readonly total: number;
  readonly head: string;
}

export type Restoring =
  /** The number of entries that are there already. It is above zero when an interrupted restore continues. */
  { readonly kind: 'going'; readonly seq: number } | { readonly kind: 'refused'; readonly because: string };

/** Gives the log that is being restored, if any. */
export function restoringOf(sql: SqlStorage): WholeLog | undefined {
  return sql.exec<{ total: number; head: string }>('SELECT total, head FROM restoring').toArray()[0];
}

/** Begins to restore into an empty log, or continues with the same one. */
export function beginRestore(sql: SqlStorage, { total, head }: WholeLog): Restoring {
  const { seq } = headOf(sql);
  const going = restoringOf(sql);
  if (going) {
    const isSame = going.total === total && going.head === head;
    return isSame ? { kind: 'going', seq } : refused('another backup is half restored here');
  }
  if (seq > 0) return refused(`the memory has ${seq} entries already`);
  sql.exec('INSERT INTO restoring VALUES (1, ?, ?)', total, head);
  return { kind: 'going', seq };
}

/** Takes the next entries with their hashes and times, if each follows from the one before. */
export function takeEntries(sql: SqlStorage, entries: readonly ChainEntry[]): Restoring {
  const whole = restoringOf(sql);
  if (!whole) return refused('no restore has begun');
  const last = headOf(sql);
  const lines = new Map(MEMORY_FILES.map((file) => [file as string, lastLine(sql, file)]));
  const verifier = new ChainVerifier([], { seq: last.seq, head: last.hash, lines });
  const marks = new Set<string>();
  for (const entry of entries) {
    const broken = verifier.next(entry);
    if (broken) return refused(`entry ${broken.seq} is not as it was written: ${broken.problem}`);
    const isRepeated = marks.has(entry.idem) || hasMark(sql, entry.idem);
    const objection = isRepeated ? 'has the mark of another' : objectionTo(entry, whole);
    if (objection) return refused(`entry ${entry.seq} ${objection}`);
    marks.add(entry.idem);
  }
  for (const { seq, file, line, idem, body, at, prev, hash } of entries) {
    sql.exec('INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?)', seq, file, line, idem, body, at, prev, hash);
    sql.exec('INSERT INTO log_text (rowid, body) VALUES (?, ?)', seq, body);
  }
  return { kind: 'going', seq: verifier.seq };
}

function hasMark(sql: SqlStorage, idem: string): boolean {
  return sql.exec('SELECT 1 FROM log WHERE idem = ?', idem).toArray().length > 0;
}

/** Objects to entries that no gateway would have written, even if their links are right. */
function objectionTo({ seq, file, body, idem }: ChainEntry, { total }: WholeLog): string | undefined {
  if (seq > total) return `is beyond the ${total} of the backup`;
  if (!MEMORY_FILES.some((known) => known === file)) return `belongs to no file of the memory`;
  if (utf8Bytes(body) > MAX_ENTRY_BYTES || (file.endsWith('.jsonl') && /[\n\r]/.test(body)))
    return 'is longer than a line may be';
  return idem.length > 200 ? 'has a mark that is too long' : undefined;
}

/** Opens the memory again once it is whole, with the checkpoints of its backup. */
export function endRestore(sql: SqlStorage, checkpoints: readonly Checkpoint[]): Restoring {
  const whole = restoringOf(sql);
  if (!whole) return refused('no restore has begun');
  const { seq, hash } = headOf(sql);
  if (seq !== whole.total) return refused(`${seq} of ${whole.total} entries are there`);
  if (seq > 0 && hash !== whole.head) return refused('it ends differently from the backup');
  let before = 0;
  for (const checkpoint of checkpoints) {
    const at = sql.exec<{ hash: string }>('SELECT hash FROM log WHERE seq = ?', checkpoint.seq).toArray()[0];
    if (checkpoint.seq <= before || at?.hash !== checkpoint.head)
      return refused(`the checkpoint at entry ${checkpoint.seq} does not fit`);
    before = checkpoint.seq;
  }
  for (const checkpoint of checkpoints) writeCheckpoint(sql, checkpoint);
  sql.exec('DELETE FROM restoring');
  return { kind: 'going', seq };
}

function refused(because: string): Restoring {
  return { kind: 'refused', because };
}
