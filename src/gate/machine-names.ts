import type { Database, Sql } from '../storage/sql.ts';
import * as approvals from './approvals.ts';
import type { Loans } from './loans.ts';
import type { GateCall } from './messages.ts';
import type { RuleBook } from './rules/rule-book.ts';
import { readSetting, writeSetting } from './settings.ts';

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
  renamed(id: string, to: string): void {
    this.#storage.transactionSync(() => {
      const from = this.#names[id];
      if (from === undefined) throw new Error('A machine was renamed that had no name.');
      if (from.toLowerCase() !== to.toLowerCase()) this.#freeName(to);
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
