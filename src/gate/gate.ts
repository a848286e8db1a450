import { ServerBook } from '../joined/server-book.ts';
import type { Database, Sql } from '../storage/sql.ts';
import { Admission } from './admission.ts';
import { alwaysOffers, alwaysRules, NARROWEST, type Reach } from './always.ts';
import { approvalListing, approvalView } from './approval-view.ts';
import * as approvals from './approvals.ts';
import { runOf } from './calls.ts';
import { cameBefore } from './came-before.ts';
import { type DayUse, yesterdaysUse } from './day-use.ts';
import type { GateOptions } from './gate-options.ts';
import { KeptCalls } from './kept-calls.ts';
import { type LedgerEntry, pastCalls, readLedger } from './ledger.ts';
import { latelySeen, readOverview } from './ledger-overview.ts';
import { Loans } from './loans.ts';
import { MachineNames, type PairedMachine } from './machine-names.ts';
import type { Decision, Ending, GateAnswer, GateCall, GateReply, NotedRead, OpenRead } from './messages.ts';
import { approveCovered, whyNot } from './owner-decision.ts';
import { countedCalls } from './refusals.ts';
import { RuleBook } from './rules/rule-book.ts';
import type { RuleDraft } from './rules/rule-draft.ts';
import { formOfDraft } from './rules/rule-form.ts';
import { readSetting, type SettingName, type Settings, standingSettings, writeSetting } from './settings.ts';
import { Waiters } from './waiters.ts';

/**
 * The gate of one owner. It decides on rate limits, approvals and rules and keeps the ledger, in one place.
 */
export class Gate {
  readonly #sql: Sql;
  readonly #rules: RuleBook;
  readonly #waiters: Waiters;
  /** The joined servers, and the owner's settings for their tools. */
  readonly servers: ServerBook;
  #set: ReturnType<typeof standingSettings>;
  /** The names under which rules know the machines. */
  readonly machineNames: MachineNames;
  /** The terminals that the owner lent. */
  readonly loans: Loans;

  readonly #admission: Admission;
  readonly #kept = new KeptCalls();

  /** Expects a database that has its schema already. */
  constructor(storage: Database, options: GateOptions = {}) {
    this.#waiters = new Waiters((name) => name === 'feed' && options.told?.());
    this.#sql = storage.sql;
    this.#rules = new RuleBook(this.#sql);
    this.servers = new ServerBook(storage, this.#rules, () => [...this.#set.groupsOff]);
    this.#set = standingSettings(this.#sql);
    this.loans = new Loans(this.#sql, () => this.#waiters.wake('feed'));
    this.machineNames = new MachineNames(storage, this.#rules, this.loans);
    this.#admission = new Admission(storage, options, {
      rules: this.#rules,
      loans: this.loans,
      machineNames: this.machineNames,
      set: () => this.#set,
      asked: () => this.#waiters.wake('feed'),
    });
  }

  get maxBytes(): number {
    return this.#set.maxBytes;
  }

  /** Decides about a call, and records the ends of earlier ones that came with it. */
  admit(asked: GateCall, endings: Ending[]): GateAnswer {
    return this.#admission.admit(asked, endings);
  }

  admitRead(asked: GateCall, endings: Ending[], life: string | null) {
    return this.#admission.admitRead(asked, endings, life);
  }

  admitAll(calls: readonly GateCall[], endings: Ending[], life?: string | null): GateReply[] {
    return this.#admission.admitAll(calls, endings, life);
  }

  tell(reads: readonly OpenRead[]): NotedRead[] {
    return this.#admission.tell(reads);
  }

  /** Writes the rows of reads that are only noted, for whoever reads the ledger. */
  writeNoted(): void {
    this.#admission.writeNoted();
  }

  settle(endings: (Ending | OpenRead)[]): void {
    this.#admission.settle(endings);
  }

  isPending(id: string): boolean {
    return approvals.stateOf(this.#sql, id, Date.now()) === 'pending';
  }

  /** Resolves when the approval is decided, or after a while. */
  async awaitDecision(id: string, ms: number, callId: string): Promise<void> {
    if (!this.isPending(id)) return;
    await this.#waiters.waitAgain(id, ms, callId);
  }

  answered(id: string, more: 1 | -1) {
    approvals.noteAnswered(this.#sql, id, more);
  }

  /** Withdraws the approval of a held call whose caller left, unless somebody else wants it. */
  leave(id: string, callId: string): void {
    this.#waiters.leave(id, callId);
    if (this.#waiters.has(id)) return;
    if (approvals.withdraw(this.#sql, id, Date.now())) this.#decided(id);
  }

  approvals(state?: string) {
    const found = approvals.listApprovals(this.#sql, state, Date.now());
    return Array.from(found, (one) => ({ ...approvalListing(one), held: this.#waiters.has(one.id) }));
  }

  approval(code: string) {
    const found = approvals.approvalByCode(this.#sql, code, Date.now());
    if (!found) return null;
    const before = cameBefore(this.#sql, found);
    return {
      ...approvalView(found),
      before,
      held: this.#waiters.has(found.id),
      ran: runOf(this.#sql, found) ?? null,
    };
  }

  /** Tells if the caller of a call is held until the owner decides. */
  waitsFor(code: string): boolean {
    const found = approvals.approvalByCode(this.#sql, code, Date.now());
    return found !== undefined && this.#waiters.has(found.id);
  }

  /** Gives what it takes to run an approved call for its caller, or null if it may not run. */
  approvedCall(code: string) {
    const found = approvals.approvalByCode(this.#sql, code, Date.now());
    return found?.state === 'approved' ? found : null;
  }

  /** Withdraws a call for its caller, unless another one is held for the same approval. */
  withdraw(id: string, by: string): void {
    if (!this.#waiters.has(id) && approvals.withdraw(this.#sql, id, Date.now(), by)) this.#decided(id);
  }

  /** Records the owner's decision and, with a no, a sentence for the caller. */
  decide(code: string, decision: Decision, by: string, proven: boolean, note = '', reach: Reach = NARROWEST) {
    const now = Date.now();
    const asked = approvals.approvalByCode(this.#sql, code, now);
    if (!asked) return { refused: 'not_found', message: '' };
    const refused = whyNot(asked, decision, proven);
    if (refused) return refused;
    const rules = decision === 'always' ? alwaysRules(asked, reach, now) : undefined;
    if (rules && 'problem' in rules) return { refused: 'no_rule', message: sentences([rules.problem]) };
    // A yes that was given earlier and is still unused can run the call as well as a new one.
    if (decision === 'run' && asked.state === 'approved') return { state: asked.state };
    const result = approvals.decide(this.#sql, code, decision === 'deny' ? 'deny' : 'approve', by, now);
    if ('refused' in result) return result;
    if (decision === 'deny') approvals.keepNote(this.#sql, asked.id, note);
    if (decision === 'lend') this.loans.offer(asked, now);
    const texts = rules?.drafts.flatMap((draft) => {
      // A stored rule has the same form as one that an owner writes.
      const saved = this.#rules.add(draft as RuleDraft, true, now);
      return 'text' in saved ? [saved.text] : [];
    });
    this.#decided(asked.id);
    if (texts) for (const id of approveCovered(this.#sql, this.#rules, by, now)) this.#decided(id);
    return { state: result.approval.state, ...(texts ? { rule: texts.join(' ') } : {}) };
  }

  /** Gives what waits: at once if it changed since `after`, else when it changes or the time is over. */
  async feed(after: number, waitMs: number) {
    if (this.#waiters.count <= after) await this.#waiters.wait('feed', waitMs);
    return { at: this.#waiters.count, pending: this.approvals('pending') };
  }

  /** Counts what waits: at once if that changed since `after`, else when it changes or the time is over. */
  async pulse(after: number, waitMs: number) {
    if (this.#waiters.count <= after) await this.#waiters.wait('feed', waitMs);
    return { at: this.#waiters.count, waiting: this.waiting() };
  }

  /** Gives the code of the call that expires next. */
  nextWaiting(): string | null {
    return approvals.nextPending(this.#sql, Date.now());
  }

  waiting(): number {
    return approvals.countPending(this.#sql, Date.now());
  }

  rules() {
    return this.#rules.list();
  }

  previewRule(draft: RuleDraft, toolExists: boolean) {
    this.writeNoted();
    return this.#rules.preview(draft, toolExists, pastCalls(this.#sql, draft.tool), Date.now());
  }

  addRule(draft: RuleDraft, toolExists: boolean) {
    return this.#rules.add(draft, toolExists, Date.now());
  }

  switchRule(id: string, enabled: boolean) {
    return this.#rules.switch(id, enabled, Date.now());
  }

  removeRule(id: string) {
    return this.#rules.remove(id);
  }

  /**
   * Gives the last call on a machine since it was paired, under whatever name it had. Reads no archive, because every look
   * at the machines asks.
   */
  lastCallOn(machine: PairedMachine): LedgerEntry | null {
    this.writeNoted();
    for (const { name, ...time } of this.machineNames.times(machine)) {
      const [last] = readLedger(this.#sql, { machine: name, ...time, limit: 1 }).entries;
      if (last) return last;
    }
    return null;
  }

  /** Lists the calls of the last day that were only counted. */
  counted() {
    return countedCalls(this.#sql, Date.now() - 86_400_000);
  }

  /** Sums up what happened since a time, what waits, and what is lent. */
  overview(since: number, slotMs: number) {
    this.writeNoted();
    const loans = this.loans.list(Date.now());
    return { ...readOverview(this.#sql, since, slotMs, this.#kept), waiting: this.waiting(), loans };
  }

  /** Sums up what the calls of yesterday cost. */
  yesterday(): DayUse {
    this.writeNoted();
    return yesterdaysUse(this.#sql, Date.now());
  }

  /** Lists who called lately, and where. */
  lately() {
    this.writeNoted();
    return latelySeen(this.#sql, this.#kept);
  }

  /** Lists how far "always" could reach for a waiting call. */
  alwaysOffers(code: string) {
    this.writeNoted();
    const now = Date.now();
    const asked = approvals.approvalByCode(this.#sql, code, now);
    return asked ? alwaysOffers(this.#sql, asked, now) : [];
  }

  /** Makes the narrowest rule that would allow a past call, as far as the ledger still knows the call. */
  ruleFormOf(call: LedgerEntry) {
    const now = Date.now();
    const drafted = this.#rules.draftForPast(call, now);
    return 'draft' in drafted
      ? { form: formOfDraft({ ...drafted.draft, note: '' }, now) }
      : { problem: sentences(drafted.problems) };
  }

  setting(name: SettingName): unknown {
    return readSetting(this.#sql, name);
  }

  /** Gives the channels that tell the owner what waits. */
  channels() {
    const [webhooks, push] = [readSetting(this.#sql, 'webhooks'), readSetting(this.#sql, 'push')];
    return { webhooks: webhooks ?? [], push: push ?? [], vapid: readSetting(this.#sql, 'vapid') };
  }

  changeSetting<Name extends SettingName>(name: Name, value: Settings[Name]) {
    writeSetting(this.#sql, name, value);
    this.#set = standingSettings(this.#sql);
    if (name === 'groups_off') this.servers.relist();
  }

  #decided(id: string): void {
    this.#waiters.wake(id);
    this.#waiters.wake('feed');
  }
}

function sentences(problems: readonly { message: string; suggestion: string }[]): string {
  return problems.map(({ message, suggestion }) => `${message} ${suggestion}`).join(' ');
}
