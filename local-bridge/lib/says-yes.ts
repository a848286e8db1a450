import { createInterface } from 'node:readline/promises';

/** Asks the person at this terminal. Everything but a plain yes is a no. */
export async function saysYes(question: string): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await prompt.question(question)).trim());
  } finally {
    prompt.close();
  }
}
