import { DurableObject } from 'cloudflare:workers';
import { isWithin } from '../core/clock.ts';
import { errorText } from '../core/error-text.ts';
import { signerOf } from '../core/signing.ts';
import { NewsSockets } from '../events/news-sockets.ts';
import { bucketOf } from '../storage/bucket.ts';
import { migrate } from '../storage/migrate.ts';
import { LedgerArchive } from './archive.ts';
import { archiveInBucket, NO_STORE } from './archive-store.ts';
import { Gate } from './gate.ts';
import type { GateEnv } from './gate-env.ts';
import { gateMigrations } from './gate-migrations.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Ending, GateCall, OpenRead } from './messages.ts';
import { restoreCalls } from './restored-ledger.ts';

/** The time between two checks for too much data. */
const LOOK_MS = 10_000;
/** The time for which calls believe a size of the database. */
const SIZE_MS = 50;
/** The most pieces to archive in one turn, and the time until the next turn. */
const PIECES_A_TURN = 8;
const NEXT_TURN_MS = 1_000;
const RETRY_MS = 5 * 60_000;

/** The object of the gate, as far as every call needs it: it lets calls in, records their ends and keeps the ledger small. */
export class CallsObject extends DurableObject<GateEnv> {
  protected readonly gate: Gate;
  protected readonly archive: LedgerArchive;
  protected readonly listeners = new NewsSockets(this.ctx);
  readonly #storage = this.ctx.storage;
  #lookedAt = 0;

  constructor(state: DurableObjectState, env: GateEnv) {
    super(state, env);
    migrate(state.storage, gateMigrations);
    const usedBytes = () => state.storage.sql.databaseSize;
    const told = () => this.listeners.tell('look');
    this.gate = new Gate(state.storage, {
      isAlone: true,
      usedBytes: oftenAsked(usedBytes),
      told,
      after: afterwards,
    });
    this.archive = new LedgerArchive({
      storage: state.storage,
      store: env.BLOBS ? archiveInBucket(bucketOf({ ...env, BLOBS: env.BLOBS })) : NO_STORE,
      usedBytes,
      maxBytes: () => this.gate.maxBytes,
      signer: signerOf(env.MEMORY_KEY),
    });
  }

  /** Makes room in the database, a little at a time so that calls need not wait. */
  override async alarm(): Promise<void> {
    let next = RETRY_MS;
    try {
      const turn = await this.archive.makeRoom(PIECES_A_TURN);
      if (turn === 'done') return;
      if (turn === 'more') next = NEXT_TURN_MS;
    } catch (error) {
      const message = errorText(error);
      console.error(JSON.stringify({ level: 'error', where: 'ledger archive', message }));
    }
    await this.#storage.setAlarm(Date.now() + next);
  }

  admit(call: GateCall, endings: Ending[]) {
    this.#look();
    return this.gate.admit(call, endings);
  }

  admitAll(calls: GateCall[], endings: Ending[], life?: string | null) {
    this.#look();
    return this.gate.admitAll(calls, endings, life);
  }

  admitRead(call: GateCall, endings: Ending[], life: string | null) {
    this.#look();
    return this.gate.admitRead(call, endings, life);
  }

  tell(reads: OpenRead[]) {
    return this.gate.tell(reads);
  }

  settle(endings: (Ending | OpenRead)[]): void {
    this.#look();
    this.gate.settle(endings);
  }

  /** Adds earlier calls from a backup. */
  restoreCalls(calls: readonly LedgerEntry[]) {
    this.#look();
    return this.#storage.transactionSync(() => restoreCalls(this.#storage.sql, calls));
  }

  #look(): void {
    const now = Date.now();
    if (isWithin(LOOK_MS, this.#lookedAt, now)) return;
    this.#lookedAt = now;
    if (this.archive.isDue()) this.ctx.waitUntil(this.#setOff(now));
  }

  async #setOff(now: number): Promise<void> {
    // Do not move an alarm that already waits, such as one after a failure, unless it stems from before the clock was set back.
    const alarm = await this.#storage.getAlarm();
    if (alarm === null || alarm > now + RETRY_MS) await this.#storage.setAlarm(now + NEXT_TURN_MS);
  }
}

/**
 * Remembers the size of the database for a moment, because finding it out costs as much as deciding about a read. What
 * is written in that time is nothing against the room that a full gate still has.
 */
function oftenAsked(usedBytes: () => number): () => number {
  let [bytes, at] = [0, Number.NEGATIVE_INFINITY];
  return () => {
    const now = Date.now();
    if (!isWithin(SIZE_MS, at, now)) [bytes, at] = [usedBytes(), now];
    return bytes;
  };
}

/** Does something after a while. A failure goes to the log, because nobody waits for it. */
function afterwards(ms: number, work: () => void): void {
  setTimeout(() => {
    try {
      work();
    } catch (error) {
      console.error(JSON.stringify({ level: 'error', where: 'noted reads', message: errorText(error) }));
    }
  }, ms);
}
