import { setImmediate as turn } from 'node:timers/promises';
import type { Gate } from '../../../src/gate/gate.ts';
import { approvalQuestion } from '../../agent/prompt/approval-question.ts';
import { asAskedCall } from '../../agent/prompt/approval-shape.ts';
import { decideAt } from '../../agent/prompt/decide-at.ts';
import { openTerminalPrompt } from '../../agent/prompt/terminal.ts';
import { deskHere } from './desk-here.ts';

/** Puts a waiting call to whoever sits at this terminal, until they decide. Results are printed elsewhere. */
export async function askHere(gate: () => Gate, code: string): Promise<void> {
  const desk = deskHere(gate, 'the person at this terminal');
  const asked = asAskedCall(await desk.one(code));
  const { prompt, close } = openTerminalPrompt(process.stderr);
  const { promise: over, resolve } = Promise.withResolvers<void>();
  try {
    // What was typed until now is read, and thrown away, before there is a question that it could answer.
    await turn();
    await turn();
    prompt.put(
      approvalQuestion(asked, {
        id: code,
        answers: ['approve', 'deny', 'always'],
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
