import { OWNER_PRINCIPAL } from '../core/call.ts';
import type { Sql } from '../storage/sql.ts';
import type { FullApproval } from './approval-rows.ts';
import * as approvals from './approvals.ts';
import { lendable } from './loans.ts';
import type { Decision } from './messages.ts';
import type { RuleBook } from './rules/rule-book.ts';
import { verdictOf } from './rules/rule-verdict.ts';

/** The reason why a decision does not count. */
interface RefusedDecision {
  readonly refused: string;
  readonly message: string;
}

/** Says why the owner may not decide so about a call; undefined if they may. */
export function whyNot(
  asked: FullApproval,
  decision: Decision,
  proven: boolean,
): RefusedDecision | undefined {
  if (decision === 'deny') return undefined;
  // The session alone can make a call of the console itself, so it must not be able to approve that call
  // too.
  const needsProof =
    asked.risk === 'dangerous' ||
    asked.principal === OWNER_PRINCIPAL ||
    decision === 'always' ||
    decision === 'lend';
  if (!proven && needsProof) return { refused: 'proof_needed', message: '' };
  if (decision === 'lend' && !lendable(asked))
    return {
      refused: 'no_loan',
      message: 'This call starts no lasting terminal that you could lend, and types into none.',
    };
  return undefined;
}

/** Approves what waits if a rule allows it by now, so that nobody has to decide it again. Gives what it approved. */
export function approveCovered(sql: Sql, rules: RuleBook, by: string, now: number): string[] {
  const approved: string[] = [];
  for (const one of approvals.listApprovals(sql, 'pending', now)) {
    // Uses are counted where a rule lets a call in, and a yes given here would pass that by.
    const uncounted = rules.for(one.tool).filter((rule) => rule.effect !== 'allow' || rule.maxUses === null);
    const verdict = verdictOf({ ...one, approval: 'ask' }, uncounted, now);
    if (verdict === 'look' || verdict.verdict !== 'allow') continue;
    if ('approval' in approvals.decide(sql, one.code, 'approve', by, now)) approved.push(one.id);
  }
  return approved;
}
