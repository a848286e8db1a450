import { DurableObject } from 'cloudflare:workers';
import first from '../../migrations/gate/0001_gate.sql';
import { migrate } from '../storage/migrate.ts';
import { Gate } from './gate.ts';
import type { LedgerFilter } from './ledger.ts';
import type { Ending, GateCall } from './messages.ts';
import type { RuleDraft } from './rule-draft.ts';
import type { SettingName, Settings } from './settings.ts';

/** The gate, as the object that the Worker calls. */
export class GateObject extends DurableObject {
  readonly #gate: Gate;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    migrate(state.storage, [{ name: '0001_gate', sql: first }]);
    this.#gate = new Gate(state.storage);
  }

  admit(call: GateCall, endings: Ending[]) {
    return this.#gate.admit(call, endings);
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
    return this.#gate.ledger(filter);
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
}
