import { createInterface } from 'node:readline/promises';
import type { Gate } from '../../src/gate/gate.ts';

const DECISIONS = { y: 'approve', yes: 'approve', n: 'deny', no: 'deny', always: 'always' } as const;

/** Whether there is a person who can be asked: a program that pipes has none. */
export function isTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Puts a waiting call to whoever sits at this terminal, until they decide. */
export async function askHere(gate: () => Gate, code: string): Promise<void> {
  const shown = gate().approval(code);
  if (!shown) return;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // The text ends with the question.
    process.stderr.write(`${shown.text} `);
    for (;;) {
      const answer = (await lines.question('')).trim().toLowerCase();
      const decision = Object.hasOwn(DECISIONS, answer)
        ? DECISIONS[answer as keyof typeof DECISIONS]
        : undefined;
      if (!decision) {
        process.stderr.write('Answer y, n or always: ');
        continue;
      }
      const outcome = gate().decide(code, decision, 'the person at this terminal', true);
      if (!('refused' in outcome)) return;
      process.stderr.write(`${outcome.message || `This was not possible (${outcome.refused}).`}\ny or n: `);
      if (outcome.refused !== 'no_rule') return;
    }
  } finally {
    lines.close();
  }
}
