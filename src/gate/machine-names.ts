import type { Database, Sql } from '../storage/sql.ts';
import * as approvals from './approvals.ts';
import type { GateCall } from './messages.ts';
import type { RuleBook } from './rules/rule-book.ts';
import { readSetting, writeSetting } from './settings.ts';

/** Under what names rules and approvals know the machines. */
export class MachineNames {
  readonly #storage: Database;
  readonly #sql: Sql;
  readonly #rules: RuleBook;
  #names: Readonly<Record<string, string>>;

  constructor(storage: Database, rules: RuleBook) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#rules = rules;
    this.#names = readSetting(this.#sql, 'machine_names') ?? {};
  }

  /**
   * Notes the name of a machine that was paired, before it can run anything. What the owner said yes to under that
   * name was said of another machine.
   */
  paired(id: string, name: string): void {
    this.#storage.transactionSync(() => {
      if (Object.hasOwn(this.#names, id)) return;
      this.#freeName(name);
      this.#keepName(id, name);
    });
  }

  /** Goes on judging a machine's calls by the name that it had, until `renamed`. */
  named(id: string, name: string): void {
    if (!Object.hasOwn(this.#names, id)) this.#keepName(id, name);
  }

  /** Has rules and approvals for a machine go on under its new name, at the moment in which its calls do. */
  renamed(id: string, to: string): void {
    this.#storage.transactionSync(() => {
      const from = this.#names[id];
      if (from === undefined) throw new Error('A machine was renamed that had no name.');
      if (from.toLowerCase() !== to.toLowerCase()) this.#freeName(to);
      this.#keepName(id, to);
      this.#rules.machineRenamed(from, to);
      approvals.machineRenamed(this.#sql, from, to);
    });
  }

  /** The call under its machine's name of now: who prepared it may not have heard of another. */
  on(call: GateCall): GateCall {
    const machine = call.machineId === null ? undefined : this.#names[call.machineId];
    return machine === undefined ? call : { ...call, machine };
  }

  #keepName(id: string, name: string): void {
    this.#names = { ...this.#names, [id]: name };
    writeSetting(this.#sql, 'machine_names', this.#names);
  }

  /** Ends each yes under a name, as nobody knows what machine gets it. A no stays. */
  #freeName(name: string): void {
    this.#rules.voidMachine(name);
    approvals.voidMachine(this.#sql, name);
  }
}
