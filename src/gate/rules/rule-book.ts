import { randomBytes } from 'node:crypto';
import { canonicalJson } from '../../core/json.ts';
import { isJoinedName } from '../../joined/names.ts';
import type { Sql } from '../../storage/sql.ts';
import type { LedgerEntry } from '../ledger.ts';
import { holds } from './policy.ts';
import {
  type RuleDraft as Draft,
  matchesRule,
  type Rule,
  type RuleCall,
  type RuleProblem,
  TERMINAL_TOOL,
} from './rule.ts';
import { checkRule } from './rule-check.ts';
import type { RuleDraft } from './rule-draft.ts';
import { isLasting, kinOf } from './rule-kin.ts';
import { narrowestRule } from './rule-narrowest.ts';
import { describeRule } from './rule-text.ts';

/** A rule with a sentence that says what it does. */
export interface ShownRule extends Rule {
  readonly text: string;
}

type Row = { id: string; tool: string; body: string; uses: number; enabled: number; created_at: number };

/** The owner's rules, kept in the database and, parsed, in memory. */
export class RuleBook {
  readonly #sql: Sql;
  #byTool: ReadonlyMap<string, readonly Rule[]> = new Map();

  constructor(sql: Sql) {
    this.#sql = sql;
    this.#load();
    this.#disableUnfit(Date.now());
  }

  /**
   * Gives the rules that could apply to calls of a tool: its own, the noes to what its calls also do, and for lines that
   * are typed to a shell the yeses to commands.
   */
  for(tool: string): readonly Rule[] {
    const own = this.#byTool.get(tool) ?? [];
    const others = kinOf(tool).flatMap((kin) =>
      (this.#byTool.get(kin) ?? []).filter(({ effect }) => effect !== 'allow' || isLasting(tool)),
    );
    return others.length === 0 ? own : [...own, ...others];
  }

  list(): ShownRule[] {
    return [...this.#byTool.values()]
      .flat()
      .sort((a, b) => a.createdAt - b.createdAt)
      .map(shown);
  }

  /** Says what a rule would do and if it could be saved, without saving it. */
  preview(draft: RuleDraft, toolExists: boolean, past: readonly LedgerEntry[], now: number) {
    const checked = check(draft, toolExists, now);
    const problems: readonly RuleProblem[] = checked.ok ? [] : checked.problems;
    const matches = checked.ok ? past.filter((entry) => matchesRule(draft, callIn(entry))) : [];
    return { problems: [...problems], text: describeRule(draft), checked: past.length, matches };
  }

  add(draft: RuleDraft, toolExists: boolean, now: number): ShownRule | { problems: RuleProblem[] } {
    const checked = check(draft, toolExists, now);
    if (!checked.ok) return { problems: [...checked.problems] };
    const rule: Rule = { ...draft, id: newId(), uses: 0, enabled: true, createdAt: now };
    this.#sql.exec(
      'INSERT INTO rule VALUES (?, ?, ?, 0, 1, ?)',
      rule.id,
      rule.tool,
      JSON.stringify(draft),
      now,
    );
    this.#load();
    return shown(rule);
  }

  /** Makes the narrowest rule that would let a call of the ledger run. */
  draftForPast(entry: LedgerEntry, now: number): { draft: RuleDraft } | { problems: RuleProblem[] } {
    const narrowest = narrowestRule(callIn(entry), now);
    // A stored rule has the same form as one that an owner writes.
    return narrowest.ok ? { draft: narrowest.draft as RuleDraft } : { problems: [narrowest.problem] };
  }

  /** Switches a rule. Gives false if there is no such rule, or the problems that forbid switching it on. */
  switch(id: string, enabled: boolean, now: number): boolean | { problems: RuleProblem[] } {
    const rule = [...this.#byTool.values()].flat().find((one) => one.id === id);
    const checked = rule && enabled ? check(draftOf(rule), true, now) : undefined;
    if (checked?.ok === false) return { problems: [...checked.problems] };
    this.#sql.exec('UPDATE rule SET enabled = ? WHERE id = ?', enabled ? 1 : 0, id);
    this.#load();
    return rule !== undefined;
  }

  remove(id: string): boolean {
    const removed = this.#sql.exec('DELETE FROM rule WHERE id = ?', id).rowsWritten > 0;
    this.#load();
    return removed;
  }

  /** Switches off every yes to these tools, because they changed after the owner wrote the rule. */
  voidYeses(tools: readonly string[]): void {
    this.#voidThose(tools.flatMap((tool) => this.#byTool.get(tool) ?? []));
  }

  /** Switches off every yes for a machine of this name. */
  voidMachine(name: string): void {
    this.#voidThose(this.#about(name));
  }

  #voidThose(rules: readonly Rule[]): void {
    const fallen = rules.filter(({ effect, enabled }) => effect === 'allow' && enabled);
    for (const { id } of fallen) this.#sql.exec('UPDATE rule SET enabled = 0 WHERE id = ?', id);
    if (fallen.length > 0) this.#load();
  }

  /** Makes the rules for a machine follow it to its new name. */
  machineRenamed(from: string, to: string): void {
    for (const rule of this.#about(from)) {
      this.#sql.exec(
        'UPDATE rule SET body = ? WHERE id = ?',
        JSON.stringify({ ...draftOf(rule), machine: to }),
        rule.id,
      );
    }
    this.#load();
  }

  #about(machine: string): Rule[] {
    const name = machine.toLowerCase();
    return [...this.#byTool.values()].flat().filter((rule) => rule.machine?.toLowerCase() === name);
  }

  used(id: string): void {
    this.#sql.exec('UPDATE rule SET uses = uses + 1 WHERE id = ?', id);
    this.#load();
  }

  #load(): void {
    const rules = this.#sql.exec<Row>('SELECT * FROM rule ORDER BY created_at, id').toArray().map(ruleOf);
    this.#byTool = Map.groupBy(rules, (rule) => rule.tool);
  }

  /** Switches off a yes that today's checks refuse or whose examples no longer hold. A no stays on. */
  #disableUnfit(now: number): void {
    for (const rule of [...this.#byTool.values()].flat()) {
      if (rule.effect === 'allow' && holds(rule, now) && !check(draftOf(rule), true, now).ok)
        this.switch(rule.id, false, now);
    }
  }
}

function check(draft: Draft, toolExists: boolean, now: number) {
  return checkRule(draft, {
    toolExists: () => toolExists,
    isTerminal: (tool) => tool === TERMINAL_TOOL,
    now,
  });
}

/**
 * Gives a rule without what the book adds to it. It was checked in this form, its length included, when it
 * was saved.
 */
function draftOf({ tool, machine, effect, match, expiresAt, maxUses, note, examples }: Rule): Draft {
  return { tool, machine, effect, match, expiresAt, maxUses, note, examples };
}

/** Gives a past call as rules see it. Its secrets are gone, so a rule about secrets finds nothing. */
export function callIn({ tool, machine, args: kept }: LedgerEntry): RuleCall {
  const { args, canonicalArgs } = withoutReason(tool, kept);
  const root = typeof args.root === 'string' && !isJoinedName(tool) ? args.root : null;
  return { tool, machine, root, args, canonicalArgs };
}

function ruleOf(row: Row): Rule {
  const draft: RuleDraft = JSON.parse(row.body);
  return { ...draft, id: row.id, uses: row.uses, enabled: row.enabled === 1, createdAt: row.created_at };
}

function shown(rule: Rule): ShownRule {
  return { ...rule, text: describeRule(rule) };
}

function newId(): string {
  return `rule_${randomBytes(6).toString('base64url')}`;
}

/** Leaves out the reason for the call, which the ledger keeps and no rule looks at. */
function withoutReason(tool: string, kept: string): Pick<RuleCall, 'args' | 'canonicalArgs'> {
  const args: RuleCall['args'] = JSON.parse(kept);
  if (isJoinedName(tool) || !('reason' in args)) return { args, canonicalArgs: kept };
  const { reason: _, ...others } = args;
  return { args: others, canonicalArgs: canonicalJson(others) };
}
