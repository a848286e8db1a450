import type { Conformity } from '../joined/conform.ts';
import type { ToldServer, ToolGrade } from '../joined/server-book.ts';
import type { NewServer } from '../joined/servers.ts';
import type { Reach } from './always.ts';
import { CallsObject } from './calls-object.ts';
import { type AskedCard, cardState } from './card-state.ts';
import { followedCall } from './followed-call.ts';
import type { LedgerFilter } from './ledger.ts';
import type { WhichLoans } from './loans.ts';
import type { PairedMachine } from './machine-names.ts';
import type { Decision } from './messages.ts';
import type { RuleDraft } from './rules/rule-draft.ts';
import type { SettingName, Settings } from './settings.ts';

/** The gate, as the object that the Worker calls. */
export class GateObject extends CallsObject {
  /** Takes a page or a program that waits for news. */
  override fetch(request: Request): Response {
    return this.listeners.open(request);
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close(1000, 'left');
  }

  awaitDecision(id: string, ms: number, callId: string): Promise<void> {
    return this.gate.awaitDecision(id, ms, callId);
  }

  answered(id: string, more: 1 | -1): void {
    this.gate.answered(id, more);
  }

  leave(id: string, callId: string): void {
    this.gate.leave(id, callId);
  }

  waitsFor(code: string) {
    return this.gate.waitsFor(code);
  }

  approvals(state?: string) {
    return this.gate.approvals(state);
  }

  approval(code: string) {
    return this.gate.approval(code);
  }

  decide(code: string, decision: Decision, by: string, proven: boolean, note?: string, reach?: Reach) {
    return this.gate.decide(code, decision, by, proven, note, reach);
  }

  approvedCall(code: string) {
    return this.gate.approvedCall(code);
  }

  /** Gives the state of a call that its caller follows, to that caller only. */
  followed(id: string, principal: string) {
    return followedCall(this.ctx.storage.sql, id, principal, Date.now());
  }

  /** Gives what a card in the chat of that caller shows of their call. */
  card(asked: AskedCard, principal: string) {
    return cardState(this.ctx.storage.sql, asked, principal, Date.now());
  }

  withdraw(id: string, principal: string): void {
    this.gate.withdraw(id, principal);
  }

  loans() {
    return this.gate.loans.list(Date.now());
  }

  /** Takes back loans, all of them if nothing is named. Gives how many, and the calls to cancel at their machines. */
  endLoans(which: WhichLoans) {
    const count = this.gate.loans.end(which, Date.now());
    return { count, sends: this.gate.loans.underway(which) };
  }

  nextWaiting() {
    return this.gate.nextWaiting();
  }

  feed(after: number, waitMs: number) {
    return this.gate.feed(after, waitMs);
  }

  pulse(after: number, waitMs: number) {
    return this.gate.pulse(after, waitMs);
  }

  rules() {
    return this.gate.rules();
  }

  previewRule(draft: RuleDraft, toolExists: boolean) {
    return this.gate.previewRule(draft, toolExists);
  }

  addRule(draft: RuleDraft, toolExists: boolean) {
    return this.gate.addRule(draft, toolExists);
  }

  switchRule(id: string, enabled: boolean) {
    return this.gate.switchRule(id, enabled);
  }

  machinePaired(id: string, name: string) {
    this.gate.machineNames.paired(id, name);
  }

  machineNamed(id: string, name: string) {
    this.gate.machineNames.named(id, name);
  }

  machineRenamed(id: string, to: string) {
    this.gate.machineNames.renamed(id, to, Date.now());
  }

  removeRule(id: string) {
    return this.gate.removeRule(id);
  }

  ledger(filter: LedgerFilter) {
    this.gate.writeNoted();
    return this.archive.page(filter);
  }

  lastCallOn(machine: PairedMachine) {
    return this.gate.lastCallOn(machine);
  }

  /** Lists the calls of the last day that were only counted. */
  counted() {
    return this.gate.counted();
  }

  call(seq: number) {
    this.gate.writeNoted();
    return this.archive.call(seq);
  }

  /** Describes the archive for whoever verifies it. */
  archived(after: number) {
    return this.archive.pieces(after);
  }

  archivedFile(piece: number) {
    return this.archive.file(piece);
  }

  overview(since: number, slotMs: number) {
    return this.gate.overview(since, slotMs);
  }

  yesterday() {
    return this.gate.yesterday();
  }

  lately() {
    return this.gate.lately();
  }

  alwaysOffers(code: string) {
    return this.gate.alwaysOffers(code);
  }

  async ruleFormOf(seq: number) {
    const call = await this.archive.call(seq);
    return call && this.gate.ruleFormOf(call);
  }

  setting(name: SettingName): unknown {
    return this.gate.setting(name);
  }

  channels() {
    return this.gate.channels();
  }

  changeSetting<Name extends SettingName>(name: Name, value: Settings[Name]): void {
    this.gate.changeSetting(name, value);
  }

  servers() {
    return this.gate.servers.list();
  }

  server(name: string) {
    return this.gate.servers.one(name);
  }

  joined(known: number) {
    return this.gate.servers.joined(known);
  }

  addServer(server: NewServer) {
    return this.gate.servers.add(server);
  }

  removeServer(name: string): boolean {
    return this.gate.servers.remove(name);
  }

  takeServerTools(name: string, conformity: Conformity) {
    return this.gate.servers.take(name, conformity);
  }

  serverProblem(name: string, problem: string): void {
    this.gate.servers.problem(name, problem);
  }

  gradeTool(asked: ToolGrade) {
    return this.gate.servers.grade(asked);
  }

  acceptProposals(asked: { server: string; tools: { name: string; hash: string }[] }) {
    return this.gate.servers.acceptProposals(asked);
  }

  takeMachineServers(machine: { id: string; name: string }, told: ToldServer[]): Promise<boolean> {
    return this.gate.servers.takeFromMachine(machine, told);
  }

  serverSecret(name: string): string | null {
    return this.gate.servers.secret(name);
  }

  keepServerSecret(name: string, body: string | null): void {
    this.gate.servers.keepSecret(name, body);
  }
}
