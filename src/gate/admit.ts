import type { Group } from '../../contracts/contract.ts';
import { ANYBODY } from '../core/call.ts';
import { isJoinedName } from '../joined/names.ts';
import type { Sql } from '../storage/sql.ts';
import {
  codeOfUsed,
  isDenied,
  noteTold,
  type Standing,
  settleByLoan,
  standingOf,
  untoldRun,
  useApproved,
} from './approvals.ts';
import {
  approvalReason,
  callApprovedBy,
  callMarked,
  changedSince,
  type Earlier,
  writeCall,
} from './calls.ts';
import { keepYes } from './kept-yes.ts';
import { type Loans, loanReason } from './loans.ts';
import type { GateAnswer, GateCall } from './messages.ts';
import type { NotedReads } from './noted-reads.ts';
import { countAsked, rateWait, uncountAsked } from './rate.ts';
import type { RecentCalls } from './recent-calls.ts';
import type { Rule } from './rules/rule.ts';
import { verdictOf } from './rules/rule-verdict.ts';

/** The owner's settings that decide if a call may run. */
export interface GateLaw {
  readonly rules: readonly Rule[];
  readonly rates: Readonly<Record<string, number>>;
  readonly maxPending: number;
  /** The groups of tools that may not run. */
  readonly groupsOff: ReadonlySet<Group>;
  /** The number of recent calls. Left out where others write to the same ledger. */
  readonly recent?: RecentCalls | undefined;
  /** The reads that have no rows yet. */
  readonly noted?: NotedReads | undefined;
  /** True if a plain read may do without a row until it ends, because its caller tells of it again if it is forgotten. */
  readonly mayNote?: boolean;
  /** The terminals that the owner lent. */
  readonly loans: Loans;
  /** Counts a use of a rule that let a call through. */
  used(ruleId: string): void;
}

/** Decides about a call and writes it down if it may run, all in the caller's one transaction. */
export function admitCall(sql: Sql, call: GateCall, law: GateLaw, now: number): GateAnswer {
  if (isGroupOff(call, law)) return { kind: 'refused', code: 'group_off' };
  if (call.risk !== 'read_only') {
    const answer = answerToRepeat(sql, call, now);
    if (answer) return answer;
  }
  const wait = rateWait(sql, call, perMinuteOf(call, law), now, law.recent, law.noted);
  if (wait > 0) return { kind: 'refused', code: 'rate_limited', retryAfterMs: wait };
  const noted = noteRead(call, law, now);
  if (noted) return noted;

  const lent = law.loans.of(call, now);
  // A no to this very call stands, whatever was lent.
  const judged = verdictOf(call, law.rules, now, lent && !isDenied(sql, call, now) ? lent : undefined);
  // Without a count, a caller whose every preview is refused could ask a machine or the owner without limit.
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
    if (call.principal === ANYBODY && approval === undefined) {
      // Write no row that stays, or anybody could fill the ledger. The limit counts the call for its minute.
      count(false);
      return { kind: 'admitted', seq: null };
    }
    // Rows follow the clock.
    law.noted?.write();
    const seq = writeCall(sql, call, { counted: true, decision, because: reason }, now);
    if (approval !== undefined) {
      keepYes(sql, seq, approval);
      law.loans.begin(approval, call, seq, now);
    }
    law.recent?.add(call.principal, call.tool, now);
    return { kind: 'admitted', seq, ...(seen === null ? {} : { seen }) };
  };
  const byYes = ({ approval: { id, code }, seen }: Extract<Standing, { kind: 'run' }>) =>
    admitted('approved', approvalReason(code), seen, id);
  if (verdict === 'allow') {
    if (because.kind === 'default') return admitted('allowed', 'needs no approval');
    uncountAsked(sql, call);
    // Use up a yes to this very call first. Otherwise it would stay valid for one more run.
    const approved = useApproved(sql, call, now);
    if (approved) return byYes(approved);
    if (because.kind === 'loan') {
      // Nobody needs to decide any more about a call that waited when its terminal was lent.
      settleByLoan(sql, call, because.id, now);
      law.loans.used();
      return admitted('allowed', loanReason(because.id), judged.seen);
    }
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
 * Lets a plain read in without a row, if no rule speaks of it and it is far from its limit. Gives `undefined` for every
 * other call.
 */
export function noteRead(call: GateCall, law: GateLaw, now: number): GateAnswer | undefined {
  const { noted, recent } = law;
  if (!law.mayNote || !noted || noted.isFull) return undefined;
  if (!call.isPlainRead || call.principal === ANYBODY) return undefined;
  if (isGroupOff(call, law)) return undefined;
  const most = recent?.atMost(call.principal, call.tool, now);
  // Near the limit each call has its row first. So even a memory that is lost never lets a caller far beyond it.
  if (most === undefined || most * 2 >= perMinuteOf(call, law)) return undefined;
  const judged = verdictOf(call, law.rules, now);
  if (judged === 'look' || judged.verdict !== 'allow' || judged.because.kind !== 'default') return undefined;
  recent?.add(call.principal, call.tool, now);
  return { kind: 'admitted', seq: null, noted: noted.note(call, now) };
}

function isGroupOff({ group }: GateCall, { groupsOff }: GateLaw): boolean {
  return group !== undefined && groupsOff.has(group);
}

function perMinuteOf(call: GateCall, law: GateLaw): number {
  return law.rates[call.tool] ?? call.perMinute;
}

/**
 * Answers a call with an effect if something proves that it was sent before: its key, the signed approval
 * that it returns with, or the name of its request. Two calls that look alike prove nothing: whoever runs the
 * tests, edits and runs them again wants the second run.
 */
function answerToRepeat(sql: Sql, call: GateCall, now: number): GateAnswer | undefined {
  // A joined server's answer has no place to say that it is a replay.
  if (isJoinedName(call.tool)) return undefined;
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
  // The client makes the names. A client that counts wrongly must still see what it changed since.
  const isResent = named?.digest === call.digest && !changedSince(sql, call.principal, named.seq);
  return isResent && !isNoRun(named) ? answerOf(named) : undefined;
}

/**
 * Gives the outcome of a call that the owner ran after its caller had left, to the first such call that
 * follows. Only once: whoever makes the call again after that wants it to run again.
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

/** With these codes a call was refused before it did anything. */
const NO_RUN = new Set([
  ...['machine_offline', 'unknown_machine', 'ambiguous_machine', 'changed_since_approval'],
]);
/** With these codes the caller could not tell if the call ran. */
const OPEN_END = new Set([
  ...['still_running', 'outcome_unknown', 'cancelled', 'timeout', 'internal_error', 'rate_limited'],
  'disk_full',
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
