import { errorText } from '../../../src/core/error-text.ts';
import { visible, visibleLine } from '../../../src/core/visible.ts';
import type { Answer } from './answer.ts';
import type { Desk } from './desk.ts';
import type { Outcome } from './questions.ts';

/** Tells the owner what a loan means, once they gave it. */
export const LENT = 'Its terminal is lent for an hour from now: `bowline loans` shows it, and takes it back.';

/** Sends an answer to a desk. If that fails while the call still waits, the question is asked again. */
export async function decideAt(
  desk: Desk,
  code: string,
  answer: Answer,
  note: string,
  approved: string,
): Promise<Outcome> {
  try {
    const { rule } = await desk.decide(code, answer, note === '' ? {} : { note });
    if (answer === 'deny') return { said: `✓ Denied ${visibleLine(code, 20)}.` };
    if (answer === 'lend') return { said: `${approved}\n  ${LENT}` };
    return { said: rule ? `${approved}\n  Rule: ${visibleLine(rule)}` : approved };
  } catch (error) {
    const why = `✗ ${visible(errorText(error), 600)}`;
    if (!(await stillWaits(desk, code))) return { said: why };
    return answer === 'always' || answer === 'lend' ? { again: why, without: answer } : { again: why };
  }
}

/** Tells if a call can still be decided. If nobody knows, the question is asked again. */
async function stillWaits(desk: Desk, code: string): Promise<boolean> {
  try {
    return (await desk.one(code)).state === 'pending';
  } catch {
    return true;
  }
}
