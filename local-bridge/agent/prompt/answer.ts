/** An answer at the terminal, in the gate's words. */
export type Answer = 'approve' | 'deny' | 'always' | 'lend';

/** The shortest word for each answer, in the order in which a question offers them. */
const WORDS: ReadonlyMap<Answer, string> = new Map([
  ['approve', 'y'],
  ['deny', 'n'],
  ['always', 'always'],
  ['lend', 'lend'],
]);

const MEANT: Readonly<Record<string, Answer>> = {
  y: 'approve',
  yes: 'approve',
  n: 'deny',
  no: 'deny',
  always: 'always',
  lend: 'lend',
};

/** The words that a question offers for its answers. */
export function offered(answers: readonly Answer[]): readonly string[] {
  return [...WORDS].flatMap(([answer, word]) => (answers.includes(answer) ? word : []));
}

/**
 * Reads a typed line. Only a no may continue with a sentence, because more words after a yes could be a
 * condition.
 */
export function readAnswer(line: string): { readonly answer: Answer; readonly note: string } | undefined {
  const [, word = '', note = ''] = /^([a-z]+)(?:[\s,:]+(.*))?$/is.exec(line.trim()) ?? [];
  const known = word.toLowerCase();
  const answer = Object.hasOwn(MEANT, known) ? MEANT[known] : undefined;
  return answer && (note === '' || answer === 'deny') ? { answer, note: note.trim() } : undefined;
}
