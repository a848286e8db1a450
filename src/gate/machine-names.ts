import type { Database, Sql } from '../storage/sql.ts';
import * as approvals from './approvals.ts';
import type { Loans } from './loans.ts';
import type { GateCall } from './messages.ts';
import type { RuleBook } from './rules/rule-book.ts';
import { readSetting, writeSetting } from './settings.ts';

/** The earlier names of a machine that the gate remembers. */
export const PAST_NAMES = 10;

/** A machine as the owner's registry knows it, and when it was paired. */
export interface PairedMachine {
  readonly id: string;
  readonly name: string;
  readonly since: number;
}

/** A time in which a machine had a name. The last one has no end. */
interface NameTime {
  readonly name: string;
  readonly since: number;
  readonly until?: number;
}

/** The names under which rules and approvals know the machines. */
export class MachineNames {
  readonly #storage: Database;
  readonly #sql: Sql;
  readonly #rules: RuleBook;
  readonly #loans: Loans;
  #names: Readonly<Record<string, string>>;

  constructor(storage: Database, rules: RuleBook, loans: Loans) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#rules = rules;
    this.#loans = loans;
    this.#names = readSetting(this.#sql, 'machine_names') ?? {};
  }

  /**
   * Records the name of a newly paired machine before it can run anything. Any earlier yes under that name
   * was for another machine.
   */
  paired(id: string, name: string): void {
    this.#storage.transactionSync(() => {
      if (Object.hasOwn(this.#names, id)) return;
      this.#freeName(name);
      this.#keepName(id, name);
    });
  }

  /** Keeps judging a machine's calls by its old name until `renamed`. */
  named(id: string, name: string): void {
    if (!Object.hasOwn(this.#names, id)) this.#keepName(id, name);
  }

  /** Moves a machine's rules and approvals to its new name, at the moment when its calls move. */
  renamed(id: string, to: string, now: number): void {
    this.#storage.transactionSync(() => {
      const from = this.#names[id];
      if (from === undefined) throw new Error('A machine was renamed that had no name.');
      if (from.toLowerCase() !== to.toLowerCase()) this.#freeName(to);
      if (from !== to) this.#keepPast(id, from, now);
      this.#keepName(id, to);
      this.#rules.machineRenamed(from, to);
      approvals.machineRenamed(this.#sql, from, to);
      this.#loans.machineRenamed(id, to);
    });
  }

  /** Gives the call with its machine's present name, because its preparer may know only an old one. */
  on(call: GateCall): GateCall {
    const machine = call.machineId === null ? undefined : this.#names[call.machineId];
    return machine === undefined ? call : { ...call, machine };
  }

  /**
   * Gives the names of a machine since it was paired, newest first, each with its time. The ledger knows a machine by the
   * name that it had, and another machine may have had that name before or since.
   */
  times({ id, name: told, since }: PairedMachine): readonly NameTime[] {
    const past = readSetting(this.#sql, 'machine_past_names')?.[id] ?? [];
    const times: NameTime[] = [];
    // Of the name before the remembered ones only its end counts.
    const forgotten = past.at(-PAST_NAMES - 1);
    let from = Math.max(since, forgotten?.until ?? 0);
    for (const { name, until } of past.slice(-PAST_NAMES)) {
      if (until > from) times.unshift({ name, since: from, until });
      from = Math.max(from, until);
    }
    return [{ name: this.#names[id] ?? told, since: from }, ...times];
  }

  #keepPast(id: string, name: string, until: number): void {
    const all = readSetting(this.#sql, 'machine_past_names') ?? {};
    const past = [...(all[id] ?? []), { name, until }].slice(-PAST_NAMES - 1);
    writeSetting(this.#sql, 'machine_past_names', { ...all, [id]: past });
  }

  #keepName(id: string, name: string): void {
    this.#names = { ...this.#names, [id]: name };
    writeSetting(this.#sql, 'machine_names', this.#names);
  }

  /** Ends each yes under a name, because nobody knows which machine it would be for. A no stays. */
  #freeName(name: string): void {
    this.#rules.voidMachine(name);
    approvals.voidMachine(this.#sql, name);
  }
}
