import { setImmediate as turn } from 'node:timers/promises';
import type { Gate } from '../../../src/gate/gate.ts';
import { answersTo, approvalQuestion } from '../../agent/prompt/approval-question.ts';
import { asAskedCall } from '../../agent/prompt/approval-shape.ts';
import { decideAt } from '../../agent/prompt/decide-at.ts';
import { openTerminalPrompt } from '../../agent/prompt/terminal.ts';
import { deskHere } from './desk-here.ts';

/**
 * Asks the person at this terminal about a waiting call until they decide. The results are printed elsewhere.
 */
export async function askHere(gate: () => Gate, code: string): Promise<void> {
  const desk = deskHere(gate, 'the person at this terminal');
  const asked = asAskedCall(await desk.one(code));
  const { prompt, close } = openTerminalPrompt(process.stderr);
  const { promise: over, resolve } = Promise.withResolvers<void>();
  try {
    // Read and discard what was typed until now, so that it cannot answer the question.
    await turn();
    await turn();
    prompt.put(
      approvalQuestion(asked, {
        id: code,
        answers: answersTo(asked),
        decide: async (answer, note) => {
          const outcome = await decideAt(desk, code, answer, note, '✓ It runs.');
          if ('said' in outcome) resolve();
          return outcome;
        },
      }),
    );
    await over;
    // The outcome is written after the decision, in the same turn.
    await turn();
  } finally {
    close();
  }
}
