import { approvalLines, foldedText, type WaitingCall } from '../../../src/gate/approval-lines.ts';
import type { Answer } from './answer.ts';
import type { Outcome, Question } from './questions.ts';

/** A call that waits, with the question in the words of the gate. */
export interface AskedCall extends WaitingCall {
  /** The question, long values folded. */
  readonly text: string;
  /** The same with every argument whole. */
  readonly full: string;
}

interface Asking {
  readonly id: string;
  /** A line that goes before everything else. */
  readonly about?: string;
  readonly answers: readonly Answer[];
  decide(answer: Answer, note: string): Promise<Outcome>;
}

/** A call that waits as a question at a terminal: the same one wherever it is asked. */
export function approvalQuestion(call: AskedCall, { about, ...asking }: Asking): Question {
  const before = about === undefined ? '' : `${about}\n`;
  const worded = (text: string, answers: readonly Answer[]) =>
    answers.includes('always') ? text : withoutAlways(text);
  return {
    ...asking,
    text: (answers, screen) => {
      const lines = approvalLines(call, { seeAll: '`?` shows all of it' }, screen);
      return `${before}${lines}\n\n${worded(foldedText(call.text, screen), answers)}`;
    },
    full: (answers, screen) =>
      `${approvalLines(call, 'whole', screen)}\n\n${worded(foldedText(call.full, screen), answers)}`,
  };
}

/** "Always" belongs to the gate's rules; where none can be written, only the two other answers are offered. */
function withoutAlways(text: string): string {
  return text.replace(/\(y\/n\/always\):$/, '(y/n):');
}
