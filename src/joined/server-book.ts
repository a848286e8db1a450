import type { Group, Risk } from '../../contracts/contract.ts';
import type { Database } from '../storage/sql.ts';
import type { Conformity } from './conform.ts';
import { takeMachineServers } from './machine-servers.ts';
import { isServerName } from './names.ts';
import { keepSecret, secretOf } from './server-secrets.ts';
import * as servers from './servers.ts';

/** A machine's description of one of its servers. */
export interface ToldServer {
  readonly name: string;
  readonly tools: readonly unknown[];
  readonly left_out: readonly { readonly name: string; readonly reasons: readonly string[] }[];
}

/** The owner's grade of a tool as they saw it. */
export interface ToolGrade {
  readonly server: string;
  readonly tool: string;
  readonly hash: string;
  readonly grade: Risk | null;
}

/** Switches off every yes that was given to tools that have changed or gone. */
interface Yeses {
  voidYeses(tools: readonly string[]): void;
}

/** Joined servers in the gate's database. It makes each change whole, with the rules that fall with their tools. */
export class ServerBook {
  readonly #storage: Database;
  readonly #rules: Yeses;
  readonly #groupsOff: () => readonly Group[];

  constructor(storage: Database, rules: Yeses, groupsOff: () => readonly Group[]) {
    this.#storage = storage;
    this.#rules = rules;
    this.#groupsOff = groupsOff;
  }

  list() {
    return servers.serverViews(this.#storage.sql);
  }

  one(name: string) {
    return servers.serverView(this.#storage.sql, name) ?? null;
  }

  /** Gives the joined tools, and the groups of our own that are switched off, unless the caller has it already. */
  joined(known: number) {
    const { sql } = this.#storage;
    const version = servers.versionOf(sql);
    if (version === known) return { version, rows: null, off: [] };
    return { version, rows: servers.joinedRows(sql), off: this.#groupsOff() };
  }

  /** Makes every reader of the list read it again. */
  relist(): void {
    servers.bump(this.#storage.sql);
  }

  add(server: servers.NewServer) {
    return this.#do(() => servers.addServer(this.#storage.sql, server, Date.now()));
  }

  remove(name: string): boolean {
    const gone = this.#do(() => servers.removeServer(this.#storage.sql, name));
    if (gone) this.#rules.voidYeses(gone);
    return gone !== undefined;
  }

  /** Stores a server's new list. Gives the wire names of tools that changed. */
  take(name: string, conformity: Conformity): { changed: string[]; isOther: boolean } {
    const { sql } = this.#storage;
    const before = servers.versionOf(sql);
    const changed = this.#do(() => servers.keepConformity(sql, name, conformity, Date.now()));
    this.#rules.voidYeses(changed);
    return { changed, isOther: servers.versionOf(sql) !== before };
  }

  problem(name: string, problem: string): void {
    servers.keepProblem(this.#storage.sql, name, problem);
  }

  grade(asked: ToolGrade) {
    return this.#do(() => servers.gradeTool(this.#storage.sql, asked));
  }

  acceptProposals(asked: { server: string; tools: readonly { name: string; hash: string }[] }) {
    return this.#do(() => servers.acceptProposals(this.#storage.sql, asked));
  }

  /** Stores what a machine says of its servers. It checks each tool against the rules once more. */
  async takeFromMachine(
    machine: { readonly id: string; readonly name: string },
    told: readonly ToldServer[],
  ): Promise<boolean> {
    const { conformAll } = await import('./conform.ts');
    const { sql } = this.#storage;
    const before = servers.versionOf(sql);
    const looked = told
      .filter(({ name }) => isServerName(name))
      .map(({ name, tools, left_out }) => {
        const { tools: fit, leftOut } = conformAll(name, tools);
        return { name, conformity: { tools: fit, leftOut: [...leftOut, ...left_out] } };
      });
    const { changed, gone } = this.#do(() => takeMachineServers(sql, machine, looked, Date.now()));
    this.#rules.voidYeses([...changed, ...gone]);
    return servers.versionOf(sql) !== before;
  }

  secret(name: string): string | null {
    return secretOf(this.#storage.sql, name);
  }

  keepSecret(name: string, body: string | null): void {
    keepSecret(this.#storage.sql, name, body);
  }

  #do<T>(work: () => T): T {
    return this.#storage.transactionSync(work);
  }
}
