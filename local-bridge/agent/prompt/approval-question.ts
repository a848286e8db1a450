import { approvalLines, foldedText, type WaitingCall } from '../../../src/gate/approval-lines.ts';
import type { Answer } from './answer.ts';
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

/** Makes the question about a waiting call. It is the same wherever it is asked. */
export function approvalQuestion(call: AskedCall, { about, ...asking }: Asking): Question {
  const worded = (text: string, answers: readonly Answer[]) =>
    answers.includes('always') ? text : withoutAlways(text);
  return {
    ...asking,
    text: (answers, screen) => {
      const lines = approvalLines(call, { seeAll: '`?` shows all of it' }, screen);
      const before = about === undefined ? '' : `${foldedText(about, screen)}\n`;
      return `${before}${lines}\n\n${worded(foldedText(call.text, screen), answers)}`;
    },
    full: (answers, screen) =>
      `${approvalLines(call, 'whole', screen)}\n\n${worded(foldedText(call.full, screen), answers)}`,
  };
}

/** Removes "always" from the offered answers, because it needs a gate that can write rules. */
function withoutAlways(text: string): string {
  return text.replace(/\(y\/n\/always\):$/, '(y/n):');
}
