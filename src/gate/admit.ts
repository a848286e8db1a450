import type { Sql } from '../storage/sql.ts';
import { codeOfUsed, noteTold, type Standing, standingOf, untoldRun, useApproved } from './approvals.ts';
import {
  approvalReason,
  callApprovedBy,
  callMarked,
  changedSince,
  type Earlier,
  writeCall,
} from './calls.ts';
import { keepYes } from './kept-yes.ts';
import type { GateAnswer, GateCall } from './messages.ts';
import { countAsked, rateWait, uncountAsked } from './rate.ts';
import type { RecentCalls } from './recent-calls.ts';
import { isForeign, type Rule } from './rules/rule.ts';
import { verdictOf } from './rules/rule-verdict.ts';

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

/** Decides about a call and, if it may run, writes it down: all in the caller's one transaction. */
export function admitCall(sql: Sql, call: GateCall, law: GateLaw, now: number): GateAnswer {
  if (call.risk !== 'read_only') {
    const answer = answerToRepeat(sql, call, now);
    if (answer) return answer;
  }
  const wait = rateWait(sql, call, law.rates[call.tool] ?? call.perMinute, now, law.recent);
  if (wait > 0) return { kind: 'refused', code: 'rate_limited', retryAfterMs: wait };

  const judged = verdictOf(call, law.rules, now);
  // Whoever is refused by every preview would otherwise ask a machine, or the owner, as often as they like.
  const count = (isWaiting: boolean) => {
    countAsked(sql, call, isWaiting, now);
    law.recent?.add(call.principal, call.tool, now);
  };
  const lookFirst = (): GateAnswer => {
    count(false);
    return { kind: 'look' };
  };
  if (judged === 'look') return lookFirst();
  const { verdict, because } = judged;
  if (verdict === 'deny') return { kind: 'refused', code: 'denied_by_rule' };
  const admitted = (
    decision: string,
    reason: string,
    seen: string | null = null,
    approval?: string,
  ): GateAnswer => {
    const seq = writeCall(sql, call, { counted: true, decision, because: reason }, now);
    if (approval !== undefined) keepYes(sql, seq, approval);
    law.recent?.add(call.principal, call.tool, now);
    return { kind: 'admitted', seq, ...(seen === null ? {} : { seen }) };
  };
  const byYes = ({ approval: { id, code }, seen }: Extract<Standing, { kind: 'run' }>) =>
    admitted('approved', approvalReason(code), seen, id);
  if (verdict === 'allow') {
    if (because.kind === 'default') return admitted('allowed', 'needs no approval');
    uncountAsked(sql, call);
    // A yes to this very call is used up first: otherwise it would lie about, good for once more.
    const approved = useApproved(sql, call, now);
    if (approved) return byYes(approved);
    law.used(because.id);
    return admitted('allowed', `rule ${because.id}`, judged.seen);
  }
  const standing = standingOf(sql, call, law.maxPending, now);
  switch (standing.kind) {
    case 'wait':
      if (standing.isNew) count(true);
      return { kind: 'ask', approval: standing.approval, isNew: standing.isNew };
    case 'look':
      return lookFirst();
    case 'refused':
      return standing;
    case 'run':
      uncountAsked(sql, call);
      return byYes(standing);
  }
}

/**
 * What to say to a call that changes something and is proven to be sent for the second time: by its key, by the
 * signed approval it comes back with, or by the name of its request. Being alike proves nothing: whoever runs the
 * tests, edits and runs them again wants the second run.
 */
function answerToRepeat(sql: Sql, call: GateCall, now: number): GateAnswer | undefined {
  // What a joined server answers has no place for a word that it is a replay.
  if (isForeign(call.tool)) return undefined;
  if (call.idempotencyKey !== null) {
    const earlier = callMarked(sql, call, call.idempotencyKey, now);
    if (!earlier || isNoRun(earlier)) return undefined;
    if (earlier.digest !== call.digest) return { kind: 'refused', code: 'idempotency_conflict' };
    return answerOf(earlier);
  }
  const mayBeLate = call.retryOf === null && call.approval === 'ask';
  const late = mayBeLate ? answerOfLateRun(sql, call, now) : undefined;
  if (late) return late;
  const used = call.retryOf === null ? undefined : codeOfUsed(sql, call.retryOf);
  const approved = used === undefined ? undefined : callApprovedBy(sql, call, used, now);
  if (approved) return answerOf(approved);
  const named = call.requestName === null ? undefined : callMarked(sql, call, call.requestName, now);
  // Names are the client's doing: one that counts wrongly must still see what it has changed since.
  const isResent = named?.digest === call.digest && !changedSince(sql, call.principal, named.seq);
  return isResent && !isNoRun(named) ? answerOf(named) : undefined;
}

/**
 * The outcome of a call that the owner ran when its caller did not wait any more, for the first such call after. Only
 * once: after that, whoever makes the call again wants it to run again.
 */
function answerOfLateRun(sql: Sql, call: GateCall, now: number): GateAnswer | undefined {
  const approval = untoldRun(sql, call);
  if (!approval) return undefined;
  const ran = callApprovedBy(sql, call, approval.code, now);
  if (ran?.via !== 'owner' || isNoRun(ran)) return undefined;
  const answer = answerOf(ran);
  if (answer.kind === 'earlier') noteTold(sql, approval);
  return answer;
}

/** With these codes a call was refused before it had done anything. */
const NO_RUN = new Set([
  ...['machine_offline', 'unknown_machine', 'ambiguous_machine', 'changed_since_approval'],
]);
/** With these its caller was told something that leaves open whether it ran. */
const OPEN_END = new Set([
  ...['still_running', 'outcome_unknown', 'cancelled', 'timeout', 'internal_error', 'rate_limited'],
]);

function isNoRun({ outcome, code }: Earlier): boolean {
  return outcome === 'failed' && NO_RUN.has(code ?? '');
}

function answerOf({ seq, id: callId, at, outcome, code, result }: Earlier): GateAnswer {
  if (outcome === null || (outcome === 'failed' && OPEN_END.has(code ?? ''))) {
    return { kind: 'unsettled', seq, callId, at, code };
  }
  return { kind: 'earlier', callId, at, outcome: outcome === 'ok' ? 'ok' : 'failed', result };
}
