import { DurableObject } from 'cloudflare:workers';
import { isWithin } from '../core/clock.ts';
import { errorText } from '../core/error-text.ts';
import { signerOf } from '../core/signing.ts';
import { NewsSockets } from '../events/news-sockets.ts';
import type { Conformity } from '../joined/conform.ts';
import type { ToldServer, ToolGrade } from '../joined/server-book.ts';
import type { NewServer } from '../joined/servers.ts';
import { bucketOf } from '../storage/bucket.ts';
import { migrate } from '../storage/migrate.ts';
import type { Reach } from './always.ts';
import { LedgerArchive } from './archive.ts';
import { archiveInBucket, NO_STORE } from './archive-store.ts';
import { type AskedCard, cardState } from './card-state.ts';
import { followedCall } from './followed-call.ts';
import { Gate } from './gate.ts';
import type { GateEnv } from './gate-env.ts';
import { gateMigrations } from './gate-migrations.ts';
import type { LedgerEntry, LedgerFilter } from './ledger.ts';
import type { Decision, Ending, GateCall } from './messages.ts';
import { restoreCalls } from './restored-ledger.ts';
import type { RuleDraft } from './rules/rule-draft.ts';
import type { SettingName, Settings } from './settings.ts';

/** The time between two checks for too much data. */
const LOOK_MS = 10_000;
/** The most pieces to archive in one turn, and the time until the next turn. */
const PIECES_A_TURN = 8;
const NEXT_TURN_MS = 1_000;
const RETRY_MS = 5 * 60_000;

/** The gate, as the object that the Worker calls. */
export class GateObject extends DurableObject<GateEnv> {
  readonly #storage = this.ctx.storage;
  readonly #gate: Gate;
  readonly #archive: LedgerArchive;
  readonly #listeners = new NewsSockets(this.ctx);
  #lookedAt = 0;

  constructor(state: DurableObjectState, env: GateEnv) {
    super(state, env);
    migrate(state.storage, gateMigrations);
    const usedBytes = () => state.storage.sql.databaseSize;
    const told = () => this.#listeners.tell('look');
    this.#gate = new Gate(state.storage, { isAlone: true, usedBytes, told });
    this.#archive = new LedgerArchive({
      storage: state.storage,
      store: env.BLOBS ? archiveInBucket(bucketOf({ ...env, BLOBS: env.BLOBS })) : NO_STORE,
      usedBytes,
      maxBytes: () => this.#gate.maxBytes,
      signer: signerOf(env.MEMORY_KEY),
    });
  }

  /** Takes a page or a program that waits for news. */
  override fetch(request: Request): Response {
    return this.#listeners.open(request);
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close(1000, 'left');
  }

  /** Makes room in the database, a little at a time so that calls need not wait. */
  override async alarm(): Promise<void> {
    let next = RETRY_MS;
    try {
      const turn = await this.#archive.makeRoom(PIECES_A_TURN);
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
    return this.#gate.admit(call, endings);
  }

  admitAll(calls: GateCall[], endings: Ending[]) {
    this.#look();
    return this.#gate.admitAll(calls, endings);
  }

  settle(endings: Ending[]): void {
    this.#look();
    this.#gate.settle(endings);
  }

  #look(): void {
    const now = Date.now();
    if (isWithin(LOOK_MS, this.#lookedAt, now)) return;
    this.#lookedAt = now;
    if (this.#archive.isDue()) this.ctx.waitUntil(this.#setOff(now));
  }

  async #setOff(now: number): Promise<void> {
    // Do not move an alarm that already waits, such as one after a failure, unless it stems from before the clock was set back.
    const alarm = await this.#storage.getAlarm();
    if (alarm === null || alarm > now + RETRY_MS) await this.#storage.setAlarm(now + NEXT_TURN_MS);
  }

  awaitDecision(id: string, ms: number, callId: string): Promise<void> {
    return this.#gate.awaitDecision(id, ms, callId);
  }

  answered(id: string, more: 1 | -1): void {
    this.#gate.answered(id, more);
  }

  leave(id: string, callId: string): void {
    this.#gate.leave(id, callId);
  }

  waitsFor(code: string) {
    return this.#gate.waitsFor(code);
  }

  approvals(state?: string) {
    return this.#gate.approvals(state);
  }

  approval(code: string) {
    return this.#gate.approval(code);
  }

  decide(code: string, decision: Decision, by: string, proven: boolean, note?: string, reach?: Reach) {
    return this.#gate.decide(code, decision, by, proven, note, reach);
  }

  approvedCall(code: string) {
    return this.#gate.approvedCall(code);
  }

  /** Gives the state of a call that its caller follows, to that caller only. */
  followed(id: string, principal: string) {
    return followedCall(this.#storage.sql, id, principal, Date.now());
  }

  /** Gives what a card in the chat of that caller shows of their call. */
  card(asked: AskedCard, principal: string) {
    return cardState(this.#storage.sql, asked, principal, Date.now());
  }

  withdraw(id: string, principal: string): void {
    this.#gate.withdraw(id, principal);
  }

  nextWaiting() {
    return this.#gate.nextWaiting();
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

  machinePaired(id: string, name: string) {
    this.#gate.machineNames.paired(id, name);
  }

  machineNamed(id: string, name: string) {
    this.#gate.machineNames.named(id, name);
  }

  machineRenamed(id: string, to: string) {
    this.#gate.machineNames.renamed(id, to);
  }

  removeRule(id: string) {
    return this.#gate.removeRule(id);
  }

  ledger(filter: LedgerFilter) {
    return this.#archive.page(filter);
  }

  /** Lists the calls of the last day that were only counted. */
  counted() {
    return this.#gate.counted();
  }

  /** Adds earlier calls from a backup. */
  restoreCalls(calls: readonly LedgerEntry[]) {
    this.#look();
    return this.#storage.transactionSync(() => restoreCalls(this.#storage.sql, calls));
  }

  call(seq: number) {
    return this.#archive.call(seq);
  }

  /** Describes the archive for whoever verifies it. */
  archived(after: number) {
    return this.#archive.pieces(after);
  }

  archivedFile(piece: number) {
    return this.#archive.file(piece);
  }

  overview(since: number, slotMs: number) {
    return this.#gate.overview(since, slotMs);
  }

  lately() {
    return this.#gate.lately();
  }

  alwaysOffers(code: string) {
    return this.#gate.alwaysOffers(code);
  }

  async ruleFormOf(seq: number) {
    const call = await this.#archive.call(seq);
    return call && this.#gate.ruleFormOf(call);
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

  gradeTool(asked: ToolGrade) {
    return this.#gate.servers.grade(asked);
  }

  acceptProposals(asked: { server: string; tools: { name: string; hash: string }[] }) {
    return this.#gate.servers.acceptProposals(asked);
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
