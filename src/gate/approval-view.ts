import type { FullApproval } from './approval-rows.ts';
import { commandOf, type Sentence, sentenceOf } from './approval-sentence.ts';
import { approvalText } from './approval-text.ts';
import { lendable } from './loans.ts';
import type { ShownPreview } from './messages.ts';

/** A call as the person who decides sees it. It leaves nothing out, and nothing in it can mislead the eye. */
export interface CallView {
  readonly tool: string;
  readonly machine: string | null;
  /** The open folder that it works in. */
  readonly root: string | null;
  readonly client: string;
  readonly risk: string;
  /** The question in one sentence. */
  readonly sentence: Sentence;
  /** The whole command that it would run, with invisible characters spelt out. */
  readonly command: string | null;
  /** The reason of the model, in its own words. */
  readonly reason: string | null;
  /** The effect of the call, as the preview showed it. */
  readonly shown: ShownPreview;
  /** The question as a terminal shows it, with long values folded. */
  readonly text: string;
  /** Every argument in full, with invisible characters spelt out. */
  readonly full: string;
}

/** An approval as the owner sees it. */
export interface ApprovalView extends CallView {
  readonly code: string;
  readonly principal: string;
  readonly state: FullApproval['state'];
  readonly openedAt: number;
  readonly expiresAt: number;
  readonly decidedAt: number | null;
  /** The owner's sentence with a no. */
  readonly note: string | null;
  /** The lasting terminal that the owner may lend with it. */
  readonly lends: string | null;
}

interface AskedCall {
  readonly tool: string;
  readonly machine: string | null;
  readonly root: string | null;
  readonly client: string;
  readonly risk: string;
  readonly reason: string | null;
  readonly shown: ShownPreview;
  readonly args: Readonly<Record<string, unknown>>;
}

export function callView(call: AskedCall): CallView {
  const { tool, machine, root, client, risk, reason, shown } = call;
  return {
    ...{ tool, machine, root, client, risk, reason, shown },
    sentence: sentenceOf(call),
    command: commandOf(call),
    ...approvalText(call),
  };
}

export function approvalView(approval: FullApproval): ApprovalView {
  const { code, principal, state, openedAt, expiresAt, decidedAt, note } = approval;
  return {
    ...callView({ ...approval, args: JSON.parse(approval.args) }),
    ...{ code, principal, state, openedAt, expiresAt, decidedAt, note },
    lends: lendable(approval)?.session ?? null,
  };
}

/** Twenty listings of this size still fit a page and a message. */
const MAX_LISTED_CHARS = 16_000;

/** Shows an approval in a list and cuts very long values. Whoever decides opens it by itself. */
export function approvalListing(approval: FullApproval): ApprovalView {
  const whole = approvalView(approval);
  const cut = (text: string) => {
    const missing = text.length - MAX_LISTED_CHARS;
    if (missing <= 0) return text;
    const begin = text.slice(0, MAX_LISTED_CHARS).toWellFormed();
    return `${begin}…\n[${missing} more characters on the page of ${whole.code}]`;
  };
  return { ...whole, text: cut(whole.text), full: cut(whole.full) };
}
