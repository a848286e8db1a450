import { decide } from '../core/policy.ts';
import type { Rule } from '../core/rule.ts';
import type { Sql } from '../storage/sql.ts';
import { standingOf, useApproved } from './approvals.ts';
import { callWithKey, type Earlier, rateWait, sameCallJustNow, writeCall } from './calls.ts';
import type { GateAnswer, GateCall } from './messages.ts';
import type { RecentCalls } from './recent-calls.ts';

/** What the owner set that bears on whether a call may run. */
export interface GateLaw {
  readonly rules: readonly Rule[];
  readonly rates: Readonly<Record<string, number>>;
  readonly maxPending: number;
  /** How many calls there were lately; left out where others write to the same ledger. */
  readonly recent?: RecentCalls | undefined;
  /** Counts a use of a rule that let a call through. */
  used(ruleId: string): void;
}

/** A call that started longer ago than any tool may take, and has no end, was cut off. */
const LOST_MS = 15 * 60_000;

/** Decides about a call and, if it may run, writes it down: all in the caller's one transaction. */
export function admitCall(sql: Sql, call: GateCall, law: GateLaw, now: number): GateAnswer {
  if (call.risk !== 'read_only') {
    const answer = answerToRepeat(sql, call, now);
    if (answer) return answer;
  }
  const wait = rateWait(sql, call, law.rates[call.tool] ?? call.perMinute, now, law.recent);
  if (wait > 0) return { kind: 'refused', code: 'rate_limited', retryAfterMs: wait };

  const { verdict, because } = decide(call.approval, law.rules, ruleCall(call, law.rules), now);
  if (verdict === 'deny') return { kind: 'refused', code: 'denied_by_rule' };
  const admit = (decision: string, reason: string): GateAnswer => {
    const seq = writeCall(sql, call, { counted: true, decision, because: reason }, now);
    law.recent?.add(call.principal, call.tool, now);
    return { kind: 'admitted', seq };
  };
  if (verdict === 'allow') {
    if (because.kind === 'default') return admit('allowed', 'needs no approval');
    // A yes to this very call is used up first: otherwise it would lie about, good for once more.
    const approved = useApproved(sql, call, now);
    if (approved) return admit('approved', `approval ${approved.code}`);
    law.used(because.id);
    return admit('allowed', `rule ${because.id}`);
  }
  const standing = standingOf(sql, call, law.maxPending, now);
  switch (standing.kind) {
    case 'wait':
      return { kind: 'ask', approval: standing.approval, isNew: standing.isNew };
    case 'refused':
      return { kind: 'refused', code: standing.code };
    case 'run':
      return admit('approved', `approval ${standing.approval.code}`);
  }
}

/** What to say to a call that changes something and was sent before. */
function answerToRepeat(sql: Sql, call: GateCall, now: number): GateAnswer | undefined {
  if (call.idempotencyKey !== null) {
    const earlier = callWithKey(sql, call, now);
    if (!earlier) return undefined;
    if (earlier.digest !== call.digest) return { kind: 'refused', code: 'idempotency_conflict' };
    return answerOf(earlier, false, now);
  }
  const earlier = call.repeat ? undefined : sameCallJustNow(sql, call, now);
  return earlier && answerOf(earlier, true, now);
}

function answerOf(earlier: Earlier, suspected: boolean, now: number): GateAnswer {
  const { id, at, outcome, result } = earlier;
  if (outcome === null) {
    return { kind: 'refused', code: now - at < LOST_MS ? 'call_in_progress' : 'outcome_unknown' };
  }
  return { kind: 'earlier', callId: id, outcome: outcome === 'ok' ? 'ok' : 'failed', result, suspected };
}

/** The call as rules look at it; without rules, its arguments need not be read. */
function ruleCall({ tool, machine, args }: GateCall, rules: readonly Rule[]) {
  const concerns = rules.some((rule) => rule.tool === tool);
  return { tool, machine, args: concerns ? JSON.parse(args) : {}, canonicalArgs: args };
}
