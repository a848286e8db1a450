import { openTerminalPrompt } from './terminal.ts';

/** Asks one yes-or-no question at this terminal. It must be a real one. */
export async function confirmHere(question: string): Promise<boolean> {
  const { prompt, close } = openTerminalPrompt(process.stderr);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  prompt.put({
    id: 'confirm',
    answers: ['approve', 'deny'],
    text: () => question,
    full: () => question,
    decide: async (answer) => {
      resolve(answer === 'approve');
      return { said: '' };
    },
  });
  return promise.finally(close);
}
