import { openTerminalPrompt } from './terminal.ts';

/** Asks one question at this terminal that takes y or n. It must be a real one. */
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
