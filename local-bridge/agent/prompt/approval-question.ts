import { approvalLines, foldedText, type WaitingCall } from '../../../src/gate/approval-lines.ts';
import { type Answer, offered } from './answer.ts';
import type { Outcome, Question } from './questions.ts';

/** A waiting call, with the question in the gate's words. */
export interface AskedCall extends WaitingCall {
  /** The question, with long values folded. */
  readonly text: string;
  /** The question with every argument in full. */
  readonly full: string;
}

interface Asking {
  readonly id: string;
  /** A line to show before everything else. */
  readonly about?: string;
  readonly answers: readonly Answer[];
  decide(answer: Answer, note: string): Promise<Outcome>;
}

/** The answers that a gate takes about a call. */
export function answersTo({ approval }: AskedCall): readonly Answer[] {
  return ['approve', 'deny', 'always', ...(approval?.lends ? (['lend'] as const) : [])];
}

/** Makes the question about a waiting call. It is the same wherever it is asked. */
export function approvalQuestion(call: AskedCall, { about, ...asking }: Asking): Question {
  return {
    ...asking,
    text: (answers, screen) => {
      const lines = approvalLines(call, { seeAll: '`?` shows all of it' }, screen);
      const before = about === undefined ? '' : `${foldedText(about, screen)}\n`;
      return `${before}${lines}\n\n${offering(answers, foldedText(call.text, screen))}`;
    },
    full: (answers, screen) =>
      `${approvalLines(call, 'whole', screen)}\n\n${offering(answers, foldedText(call.full, screen))}`,
  };
}

/** Names at the end of a question the answers that can be given here. The gate's own words know only the usual ones. */
function offering(answers: readonly Answer[], text: string): string {
  return text.replace(/\(y\/n\/always\):$/, `(${offered(answers).join('/')}):`);
}
