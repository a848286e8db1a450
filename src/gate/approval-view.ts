import { approvalText } from '../core/approval-text.ts';
import type { FullApproval } from './approvals.ts';

/** An approval as the owner is shown it: nothing left out, nothing that can mislead the eye. */
export interface ApprovalView {
  readonly code: string;
  readonly tool: string;
  readonly machine: string | null;
  readonly client: string;
  readonly principal: string;
  readonly risk: string;
  readonly state: FullApproval['state'];
  readonly openedAt: number;
  readonly expiresAt: number;
  readonly decidedAt: number | null;
  /** The question in DESIGN's form, long values folded. */
  readonly text: string;
  /** Every argument whole, with what cannot be seen spelt out. */
  readonly full: string;
}

export function approvalView(approval: FullApproval): ApprovalView {
  const { text, full } = approvalText({
    tool: approval.tool,
    args: JSON.parse(approval.args),
    machine: approval.machine,
    risk: approval.risk,
  });
  const { code, tool, machine, client, principal, risk, state, openedAt, expiresAt, decidedAt } = approval;
  return { code, tool, machine, client, principal, risk, state, openedAt, expiresAt, decidedAt, text, full };
}
