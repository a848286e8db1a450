import { setImmediate as turn } from 'node:timers/promises';
import { visible } from '../../../src/core/visible.ts';
import type { Gate } from '../../../src/gate/gate.ts';
import { withoutAlways } from '../../agent/prompt/ask-here.ts';
import type { Answer } from '../../agent/prompt/questions.ts';
import { openTerminalPrompt } from '../../agent/prompt/terminal.ts';

/** Puts a waiting call to whoever sits at this terminal, until they decide. Results are printed elsewhere. */
export async function askHere(gate: () => Gate, code: string): Promise<void> {
  const shown = gate().approval(code);
  if (!shown) return;
  const { prompt, close } = openTerminalPrompt(process.stderr);
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const decide = (answer: Answer): string => {
    const outcome = gate().decide(code, answer, 'the person at this terminal', true);
    if (!('refused' in outcome)) {
      resolve();
      return answer === 'deny' ? '✓ Refused.' : '✓ It runs.';
    }
    if (outcome.refused === 'no_rule') ask(['approve', 'deny']);
    else resolve();
    return `✗ ${visible(outcome.message || `This was not possible (${outcome.refused}).`)}`;
  };
  const ask = (answers: readonly Answer[]) => {
    const worded = (text: string) => (answers.includes('always') ? text : withoutAlways(text));
    prompt.put({
      id: code,
      about: `${code} waits for you.`,
      text: worded(shown.text),
      full: worded(shown.full),
      answers,
      decide: async (answer) => {
        try {
          return decide(answer);
        } catch (error) {
          resolve();
          throw error;
        }
      },
    });
  };
  try {
    // What was typed until now is read, and thrown away, before there is a question that it could answer.
    await turn();
    await turn();
    ask(['approve', 'deny', 'always']);
    await over;
    // The outcome is written after the decision, in the same turn.
    await turn();
  } finally {
    close();
  }
}
