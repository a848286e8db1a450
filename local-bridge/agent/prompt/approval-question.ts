import {
  approvalLines,
  foldedText,
  type Screen,
  type WaitingCall,
} from '../../../src/gate/approval-lines.ts';
import { promptFor, withoutPrompt } from '../../../src/gate/approval-text.ts';
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
  const withPrompt = (lines: string, text: string, answers: readonly Answer[], screen: Screen) =>
    `${lines}\n\n${foldedText(withoutPrompt(text), screen)}\n\n${promptOn(screen, answers)}`;
  return {
    ...asking,
    text: (answers, screen) => {
      const lines = approvalLines(call, { seeAll: '`?` shows all of it' }, screen);
      const before = about === undefined ? '' : `${foldedText(about, screen)}\n`;
      return `${before}${withPrompt(lines, call.text, answers, screen)}`;
    },
    full: (answers, screen) => withPrompt(approvalLines(call, 'whole', screen), call.full, answers, screen),
  };
}

/** Asks for one of the answers that can be given here. On a narrow screen they have a line of their own. */
function promptOn({ columns }: Pick<Screen, 'columns'>, answers: readonly Answer[]): string {
  const prompt = promptFor(offered(answers));
  return columns === undefined || prompt.length < columns ? prompt : prompt.replace(' ', '\n');
}
