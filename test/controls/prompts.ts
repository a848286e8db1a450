import type { Control } from './control.ts';

const PROMPT = ['questions.test.ts'];
const LINES = ['questions-lines.test.ts'];

/** What the owner is shown and asked in a terminal, and what counts as their answer. */
export const prompts: readonly Control[] = [
  {
    id: 'terminal-reason-quoted',
    promise: "A model's reason stays on one line within its quotation marks in a terminal.",
    in: 'quoted',
    find: "visibleLine(text, MAX_NOTE_CHARS).replaceAll('\"', '\\\\\"')",
    replace: 'visibleLine(text, MAX_NOTE_CHARS)',
    tests: ['approval-lines.test.ts'],
  },
  {
    id: 'terminal-sentence-visible',
    promise: 'Nothing that a gateway sends about an approval can control a terminal.',
    in: 'linedUp',
    find: 'visibleLine(part, 300)',
    replace: 'part.slice(0, 300)',
    tests: ['visible.test.ts'],
    only: 'prompts of a terminal',
  },
  {
    id: 'terminal-lines-folded',
    promise:
      "A line wider than the terminal does not continue in the first column, where it could look like Bowline's own.",
    in: 'foldLine',
    find: 'used + wide > width',
    replace: 'used + wide > width * 99',
    tests: ['approval-lines.test.ts'],
  },
  {
    id: 'terminal-cut-said',
    promise: 'A terminal says how much of a diff or a command it does not show above the question.',
    in: 'gistLines',
    find: "isCut ? [...lines, [`  … ${left}; ${length.seeAll}`, 'unusual']] : lines",
    replace: "isCut && lines.length < 0 ? [...lines, [`  … ${left}; ${length.seeAll}`, 'unusual']] : lines",
    tests: ['approval-lines.test.ts'],
    only: 'cuts',
  },
  {
    id: 'prompt-yes-alone',
    promise: 'A yes with more words after it does not count.',
    tests: PROMPT,
    in: 'readAnswer',
    find: "note === '' || answer === 'deny'",
    replace: 'true',
  },
  {
    id: 'prompt-early-keys',
    promise: 'The rest of a line that began before its question could be read does not count.',
    tests: LINES,
    in: 'makePrompt',
    find: 'isHalfTyped = !ENTER.test(char); continue;',
    replace: 'continue;',
  },
  {
    id: 'prompt-half-typed',
    promise: 'The rest of a line that was begun for another question does not count.',
    tests: LINES,
    in: 'makePrompt',
    find: "isHalfTyped ||= typed !== ''",
    replace: 'isHalfTyped = false',
  },
  {
    id: 'prompt-keys-visible',
    promise: 'A sentence typed at a prompt contains no invisible characters.',
    tests: PROMPT,
    in: 'makePrompt',
    remove: '!hasUnseen(char)',
  },
  {
    id: 'deny-all-asks',
    promise: 'Refusing all waiting calls at once needs a yes at a terminal.',
    in: 'allThatWait',
    find: 'await confirmHere(`Deny ${all}? (y/n):`)',
    replace: 'all',
    tests: ['approvals-shown.test.ts'],
    only: 'refused with all others',
  },
  {
    id: 'prompt-settle',
    promise: 'Keys typed before a question could be read do not count.',
    tests: PROMPT,
    in: 'makePrompt',
    remove: 'now() - shownAt < SETTLE_MS',
  },
  {
    id: 'prompt-withdrawn',
    promise: 'A half-typed answer is dropped when its question is withdrawn.',
    tests: PROMPT,
    in: 'makePrompt',
    find: "typed = ''; shownAt = now();",
    replace: 'shownAt = now();',
  },
  {
    id: 'local-prompt-keys',
    promise: 'A key typed before the question of `bowline call --local` could be read does not count.',
    in: 'makePrompt',
    remove: 'now() - shownAt < SETTLE_MS',
    together: [
      {
        in: 'askHere',
        remove: 'await turn(); await turn();',
      },
    ],
    tests: ['call-local-prompt.test.ts'],
    only: 'takes no key',
  },
];
