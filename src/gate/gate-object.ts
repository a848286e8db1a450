import { DurableObject } from 'cloudflare:workers';
import type { Risk } from '../../contracts/contract.ts';
import first from '../../migrations/gate/0001_gate.sql';
import second from '../../migrations/gate/0002_ledger.sql';
import third from '../../migrations/gate/0003_servers.sql';
import fourth from '../../migrations/gate/0004_restored.sql';
import fifth from '../../migrations/gate/0005_clashes.sql';
import sixth from '../../migrations/gate/0006_refusals.sql';
import type { Conformity } from '../host/conform.ts';
import { migrate } from '../storage/migrate.ts';
import { Gate } from './gate.ts';
import type { LedgerEntry, LedgerFilter } from './ledger.ts';
import type { Ending, GateCall } from './messages.ts';
import { restoreCalls, withRestored } from './restored-ledger.ts';
import type { RuleDraft } from './rule-draft.ts';
import type { ToldServer } from './server-book.ts';
import type { NewServer } from './servers.ts';
import type { SettingName, Settings } from './settings.ts';

/** The gate, as the object that the Worker calls. */
export class GateObject extends DurableObject {
  readonly #storage: DurableObjectStorage;
  readonly #gate: Gate;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    migrate(state.storage, [
      { name: '0001_gate', sql: first },
      { name: '0002_ledger', sql: second },
      { name: '0003_servers', sql: third },
      { name: '0004_restored', sql: fourth },
      { name: '0005_clashes', sql: fifth },
      { name: '0006_refusals', sql: sixth },
    ]);
    this.#storage = state.storage;
    this.#gate = new Gate(state.storage, { isAlone: true });
  }

  admit(call: GateCall, endings: Ending[]) {
    return this.#gate.admit(call, endings);
  }

  admitAll(calls: GateCall[], endings: Ending[]) {
    return this.#gate.admitAll(calls, endings);
  }

  settle(endings: Ending[]): void {
    this.#gate.settle(endings);
  }

  awaitDecision(id: string, ms: number): Promise<void> {
    return this.#gate.awaitDecision(id, ms);
  }

  decline(id: string, principal: string): void {
    this.#gate.decline(id, principal);
  }

  approvals(state?: string) {
    return this.#gate.approvals(state);
  }

  approval(code: string) {
    return this.#gate.approval(code);
  }

  decide(code: string, decision: 'approve' | 'deny' | 'always', by: string, proven: boolean) {
    return this.#gate.decide(code, decision, by, proven);
  }

  feed(after: number, waitMs: number) {
    return this.#gate.feed(after, waitMs);
  }

  pulse(after: number, waitMs: number) {
    return this.#gate.pulse(after, waitMs);
  }

  rules() {
    return this.#gate.rules();
  }

  previewRule(draft: RuleDraft, toolExists: boolean) {
    return this.#gate.previewRule(draft, toolExists);
  }

  addRule(draft: RuleDraft, toolExists: boolean) {
    return this.#gate.addRule(draft, toolExists);
  }

  switchRule(id: string, enabled: boolean) {
    return this.#gate.switchRule(id, enabled);
  }

  removeRule(id: string) {
    return this.#gate.removeRule(id);
  }

  ledger(filter: LedgerFilter) {
    return withRestored(this.#storage.sql, this.#gate.ledger(filter), filter);
  }

  /** What was refused and only counted in the last day. */
  counted() {
    return this.#gate.counted();
  }

  /** Calls of before, from a backup. */
  restoreCalls(calls: readonly LedgerEntry[]) {
    return this.#storage.transactionSync(() => restoreCalls(this.#storage.sql, calls));
  }

  call(seq: number) {
    return this.#gate.call(seq);
  }

  overview(since: number, slotMs: number) {
    return this.#gate.overview(since, slotMs);
  }

  lately() {
    return this.#gate.lately();
  }

  alwaysRule(code: string) {
    return this.#gate.alwaysRule(code);
  }

  ruleFormOf(seq: number) {
    return this.#gate.ruleFormOf(seq);
  }

  setting(name: SettingName): unknown {
    return this.#gate.setting(name);
  }

  channels() {
    return this.#gate.channels();
  }

  changeSetting<Name extends SettingName>(name: Name, value: Settings[Name]): void {
    this.#gate.changeSetting(name, value);
  }

  servers() {
    return this.#gate.servers.list();
  }

  server(name: string) {
    return this.#gate.servers.one(name);
  }

  joined(known: number) {
    return this.#gate.servers.joined(known);
  }

  addServer(server: NewServer) {
    return this.#gate.servers.add(server);
  }

  removeServer(name: string): boolean {
    return this.#gate.servers.remove(name);
  }

  takeServerTools(name: string, conformity: Conformity) {
    return this.#gate.servers.take(name, conformity);
  }

  serverProblem(name: string, problem: string): void {
    this.#gate.servers.problem(name, problem);
  }

  gradeTool(asked: { server: string; tool: string; hash: string; grade: Risk | null }) {
    return this.#gate.servers.grade(asked);
  }

  takeMachineServers(machine: { id: string; name: string }, told: ToldServer[]): boolean {
    return this.#gate.servers.takeFromMachine(machine, told);
  }

  serverSecret(name: string): string | null {
    return this.#gate.servers.secret(name);
  }

  keepServerSecret(name: string, body: string | null): void {
    this.#gate.servers.keepSecret(name, body);
  }
}
