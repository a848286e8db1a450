import { DurableObject } from 'cloudflare:workers';
import first from '../../migrations/memory/0001_memory.sql';
import second from '../../migrations/memory/0002_restore.sql';
import third from '../../migrations/memory/0003_sizes.sql';
import type { ChainEntry, Checkpoint } from '../core/chain.ts';
import { isWithin } from '../core/clock.ts';
import { migrate } from '../storage/migrate.ts';
import { readFile, readLines } from './file-lines.ts';
import { GroupCommit } from './group-commit.ts';
import * as log from './log.ts';
import {
  beginRestore,
  endRestore,
  type Restoring,
  restoringOf,
  takeEntries,
  type WholeLog,
} from './restore.ts';
import { schemaDifference } from './schema-check.ts';
import { lineOf, searchLog } from './search.ts';
import { overviewOf, type TimelinePlace, timeline } from './timeline.ts';

const CHECKPOINT_EVERY = 100;
const CHECKPOINT_MS = 3_600_000;

/** The result of an append. `due` is a head that needs a signed checkpoint. */
type AppendAnswer =
  | {
      readonly kind: 'appended';
      readonly entry: log.Appended;
      readonly due: Omit<Checkpoint, 'signature'> | null;
    }
  | { readonly kind: 'locked'; readonly because: string };

type AppendAllAnswer =
  | {
      readonly kind: 'appended';
      readonly appended: number;
      readonly replayed: number;
      readonly due: Omit<Checkpoint, 'signature'> | null;
    }
  | { readonly kind: 'locked'; readonly because: string };

/** One owner's memory: a log of several files that can only grow. */
export class MemoryLog extends DurableObject {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #locked: string | undefined;
  #isRestoring: boolean;
  readonly #appends: GroupCommit<log.NewEntry, AppendAnswer>;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    this.#storage = state.storage;
    this.#sql = state.storage.sql;
    migrate(state.storage, [
      { name: '0001_memory', sql: first },
      { name: '0002_restore', sql: second },
      { name: '0003_sizes', sql: third },
    ]);
    this.#locked = schemaDifference(this.#sql, [first, second, third]);
    this.#isRestoring = this.#locked === undefined && restoringOf(this.#sql) !== undefined;
    this.#appends = new GroupCommit(state.storage, (entry) => this.#append(entry));
  }

  async append(entry: log.NewEntry): Promise<AppendAnswer> {
    return this.#appends.ask(entry);
  }

  /** Finds the entry with an idem. Gives `null` also when the log refuses to serve. */
  find(idem: string): log.Appended | null {
    return this.#closed() === undefined ? (log.find(this.#sql, idem) ?? null) : null;
  }

  /** Says what an append would do now: the line it would get, or the entry that exists already. */
  expected(
    file: string,
    idem: string,
  ): { readonly locked: string } | { readonly line: number; readonly found: log.Appended | null } {
    const closed = this.#closed();
    if (closed !== undefined) return { locked: closed };
    return { line: log.lastLine(this.#sql, file) + 1, found: log.find(this.#sql, idem) ?? null };
  }

  /** Appends several entries in order, all or none. Earlier files are imported this way. */
  appendAll(entries: readonly log.NewEntry[]): AppendAllAnswer {
    const closed = this.#closed();
    if (closed !== undefined) return { kind: 'locked', because: closed };
    const now = Date.now();
    const done = this.#storage.transactionSync(() =>
      entries.map((entry) => log.append(this.#sql, entry, now)),
    );
    const replayed = done.filter((one) => one.replayed).length;
    const appended = done.length - replayed;
    return { kind: 'appended', appended, replayed, due: appended > 0 ? this.#dueCheckpoint(now) : null };
  }

  /** Takes one step of restoring a backup: entries with their old hashes, into a log that was empty. */
  restore(
    step:
      | { readonly do: 'begin'; readonly log: WholeLog }
      | { readonly do: 'take'; readonly entries: readonly ChainEntry[] }
      | { readonly do: 'end'; readonly checkpoints: readonly Checkpoint[] },
  ): Restoring & { readonly due?: Omit<Checkpoint, 'signature'> | null } {
    if (this.#locked !== undefined) return { kind: 'refused', because: this.#locked };
    return this.#storage.transactionSync(() => {
      const done =
        step.do === 'begin'
          ? beginRestore(this.#sql, step.log)
          : step.do === 'take'
            ? takeEntries(this.#sql, step.entries)
            : endRestore(this.#sql, step.checkpoints);
      this.#isRestoring = restoringOf(this.#sql) !== undefined;
      const isDone = step.do === 'end' && done.kind === 'going' && done.seq > 0;
      return { ...done, due: isDone ? this.#dueCheckpoint(Date.now()) : null };
    });
  }

  isRestoring(): boolean {
    return this.#isRestoring;
  }

  checkpoint(signed: Checkpoint): void {
    if (this.#locked !== undefined) return;
    // Another isolate may already have stored a later one.
    if (signed.seq > log.lastCheckpoint(this.#sql).seq) log.writeCheckpoint(this.#sql, signed);
  }

  read(file: string, maxBytes: number) {
    return this.#locked === undefined
      ? (readFile(this.#sql, file, maxBytes) ?? null)
      : { locked: this.#locked };
  }

  /** Gives a range of a file's lines, as many as fit. A negative `from` counts from the end. */
  lines(file: string, range: { readonly from: number; readonly to: number }, maxBytes: number) {
    return this.#locked === undefined
      ? (readLines(this.#sql, file, range, maxBytes) ?? null)
      : { locked: this.#locked };
  }

  // Not called `tail`, because the runtime reserves that name.
  lastLines(file: string, count: number) {
    return this.#locked === undefined ? log.tail(this.#sql, file, count) : { locked: this.#locked };
  }

  search(queries: { readonly all: string; readonly some: string }, limit: number) {
    return this.#locked === undefined ? searchLog(this.#sql, queries, limit) : { locked: this.#locked };
  }

  overview() {
    return overviewOf(this.#sql, this.#locked);
  }

  timeline(place: TimelinePlace, limit: number) {
    return this.#locked === undefined ? timeline(this.#sql, place, limit) : { locked: this.#locked };
  }

  line(file: string, line: number) {
    return this.#locked === undefined ? (lineOf(this.#sql, file, line) ?? null) : { locked: this.#locked };
  }

  /** Gives a page of the whole log as it is stored, for verifying it. It is served even when locked. */
  export(after: number, maxChars: number) {
    const { seq, hash } = log.headOf(this.#sql);
    return {
      entries: log.entriesAfter(this.#sql, after, maxChars),
      head: { seq, hash },
      locked: this.#locked ?? null,
    };
  }

  /** Gives the head, and the hash of an earlier entry for somebody who saw that entry. */
  headAndHash(seq: number) {
    const head = log.headOf(this.#sql);
    return { seq: head.seq, head: head.hash, before: log.hashAt(this.#sql, seq) ?? null };
  }

  checkpoints() {
    return log.checkpoints(this.#sql);
  }

  state() {
    const { seq, hash } = log.headOf(this.#sql);
    return { seq, head: hash, checkpoint: log.lastCheckpoint(this.#sql).seq, locked: this.#locked ?? null };
  }

  /** Says why nothing can be written, if nothing can. */
  #closed(): string | undefined {
    return this.#locked ?? (this.#isRestoring ? 'a backup is being restored into it' : undefined);
  }

  #append(entry: log.NewEntry): AppendAnswer {
    // A restore may have begun while this write waited.
    const closed = this.#closed();
    if (closed !== undefined) return { kind: 'locked', because: closed };
    const now = Date.now();
    const appended = log.append(this.#sql, entry, now);
    return { kind: 'appended', entry: appended, due: appended.replayed ? null : this.#dueCheckpoint(now) };
  }

  #dueCheckpoint(now: number): Omit<Checkpoint, 'signature'> | null {
    const { seq, hash } = log.headOf(this.#sql);
    const last = log.lastCheckpoint(this.#sql);
    const isDue = seq - last.seq >= CHECKPOINT_EVERY || !isWithin(CHECKPOINT_MS, last.at, now);
    return isDue ? { seq, head: hash, at: now } : null;
  }
}
