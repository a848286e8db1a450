import { type Answer, offered } from '../../local-bridge/agent/prompt/answer.ts';
import { makePrompt, type Question, SETTLE_MS } from '../../local-bridge/agent/prompt/questions.ts';
import { promptFor } from '../../src/gate/approval-text.ts';

/** A prompt on a screen that is remembered, with a clock that stands still. */
export function promptScreen(columns?: number) {
  let now = 1_000;
  let text = '';
  const prompt = makePrompt({
    write: (more) => {
      text += more;
    },
    now: () => now,
    screen: () => ({ columns, paint: (_, plain) => plain, now: Date.now() }),
  });
  return {
    prompt,
    later: (ms = SETTLE_MS) => {
      now += ms;
    },
    /** What was written since last time. */
    shown: () => {
      const seen = text;
      text = '';
      return seen;
    },
  };
}

/** A question that notes its answers. */
export function promptQuestion(
  id: string,
  answered: string[],
  answers: readonly Answer[] = ['approve', 'deny', 'always'],
): Question {
  return {
    id,
    text: (words) => `${id} asks\nTool: ${id}\n${promptFor(offered(words))}`,
    full: (words) => `Whole of ${id}\n${promptFor(offered(words))}`,
    answers,
    decide: async (answer, note) => {
      answered.push(`${id} ${answer}${note === '' ? '' : `: ${note}`}`);
      return { said: `${id} done` };
    },
  };
}
