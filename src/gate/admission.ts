import type { Database, Sql } from '../storage/sql.ts';
import { admitCall, type GateLaw, noteRead } from './admit.ts';
import { forgetResults, withTheirRows, writeEndings } from './calls.ts';
import { FULL_BYTES, type GateOptions } from './gate-options.ts';
import type { Loans } from './loans.ts';
import type { MachineNames } from './machine-names.ts';
import type { Ending, GateAnswer, GateCall, GateReply, NotedRead, OpenRead, TellFirst } from './messages.ts';
import { NotedReads } from './noted-reads.ts';
import { RecentCalls } from './recent-calls.ts';
import { NO_ROWS, RefusedRows } from './refusals.ts';
import type { RuleBook } from './rules/rule-book.ts';
import type { standingSettings } from './settings.ts';

interface AdmissionPorts {
  readonly rules: RuleBook;
  readonly machineNames: MachineNames;
  readonly loans: Loans;
  set(): ReturnType<typeof standingSettings>;
  /** Hears of a call that waits for the owner from now on. */
  asked(): void;
}

/** Lets calls in and records how they end, for the gate. */
export class Admission {
  readonly #storage: Database;
  readonly #sql: Sql;
  readonly #ports: AdmissionPorts;
  readonly #isFull: () => boolean;
  readonly #recent: RecentCalls | undefined;
  readonly #noted: NotedReads | undefined;
  readonly #refusedRows = new RefusedRows();

  constructor(
    storage: Database,
    { isAlone, usedBytes, fullBytes = FULL_BYTES, after }: GateOptions,
    ports: AdmissionPorts,
  ) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#ports = ports;
    this.#isFull = () => usedBytes !== undefined && usedBytes() > fullBytes;
    if (!isAlone) return;
    const recent = new RecentCalls();
    this.#recent = recent;
    if (!after) return;
    this.#noted = new NotedReads(this.#sql, {
      after,
      writeOld: () => this.writeNoted('old'),
      counted: ({ principal, tool }, at) => recent.add(principal, tool, at),
    });
  }

  admit(asked: GateCall, endings: Ending[]): GateAnswer {
    if (this.#isFull()) {
      // The owner's own actions need a little room, and a call that cannot be recorded must not run.
      this.#change(() => this.#write(endings));
      return { kind: 'refused', code: 'ledger_full' };
    }
    const call = this.#ports.machineNames.on(asked);
    const law = this.#lawFor(call);
    const answer = this.#change(() => {
      this.#write(endings);
      return admitCall(this.#sql, call, law, Date.now());
    });
    if (answer.kind === 'ask' && answer.isNew) this.#ports.asked();
    return answer;
  }

  /** Decides about a plain read for somebody who tells of their open reads again if `life` is not this gate's. */
  admitRead(asked: GateCall, endings: Ending[], life: string | null): GateAnswer | TellFirst {
    const noted = this.#noted;
    if (!noted || this.#isFull()) return this.admit(asked, endings);
    if (endings.length > 0) this.settle(endings);
    if (life !== null && life !== noted.life) return { kind: 'tell' };
    const law = { ...this.#lawFor(asked), mayNote: true };
    // Most reads need nothing of the database, not even a transaction.
    const answer =
      noteRead(asked, law, Date.now()) ?? this.#change(() => admitCall(this.#sql, asked, law, Date.now()));
    if (answer.kind === 'ask' && answer.isNew) this.#ports.asked();
    return answer;
  }

  /** Decides about calls that came together, in their order, each as if it had come alone. */
  admitAll(calls: readonly GateCall[], endings: Ending[], life?: string | null): GateReply[] {
    if (endings.length > 0) this.settle(endings);
    return calls.map((call) => {
      try {
        const mayNote = life !== undefined && call.isPlainRead === true;
        return mayNote ? this.admitRead(call, [], life) : this.admit(call, []);
      } catch (error) {
        return { kind: 'threw', message: String(error) };
      }
    });
  }

  /** Takes over reads that another memory than this one let in. */
  tell(reads: readonly OpenRead[]): NotedRead[] {
    return this.#change(() => this.#noted?.take(reads) ?? []);
  }

  writeNoted(which: 'all' | 'old' = 'all'): void {
    if (this.#noted?.isEmpty === false) this.#change(() => this.#noted?.write(which));
  }

  settle(endings: readonly (Ending | OpenRead)[]): void {
    this.#change(() => this.#write(endings));
    if (endings.some((one) => 'seq' in one && one.end.result !== null)) forgetResults(this.#sql, Date.now());
  }

  #write(endings: readonly (Ending | OpenRead)[]): void {
    const reads: OpenRead[] = [];
    const sent: Ending[] = [];
    for (const ending of endings) {
      if ('noted' in ending) reads.push(ending);
      else sent.push(ending);
    }
    this.#noted?.end(reads);
    // Rows follow the clock.
    if (sent.some((ending) => 'call' in ending)) this.#noted?.write();
    const others = withTheirRows(this.#sql, sent);
    writeEndings(this.#sql, others, this.#isFull() ? NO_ROWS : this.#refusedRows);
    this.#ports.loans.heard(others, Date.now());
  }

  #lawFor(call: GateCall): GateLaw {
    const { rules, loans } = this.#ports;
    return {
      rules: rules.for(call.tool),
      ...this.#ports.set(),
      recent: this.#recent,
      noted: this.#noted,
      loans,
      used: (id) => rules.used(id),
    };
  }

  /** Changes the database whole or not at all. */
  #change<T>(work: () => T): T {
    const transaction = () => this.#storage.transactionSync(work);
    return this.#noted ? this.#noted.keepIfFailed(transaction) : transaction();
  }
}
