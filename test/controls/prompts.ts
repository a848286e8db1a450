import type { Control } from './control.ts';

const PROMPT = ['questions.test.ts'];

/** What the owner is shown and asked in a terminal, and what counts as their answer. */
export const prompts: readonly Control[] = [
  {
    id: 'terminal-reason-quoted',
    promise: "A model's reason stays within its quotation marks in a terminal, in one line.",
    in: 'quoted',
    find: "visibleLine(text, MAX_NOTE_CHARS).replaceAll('\"', '\\\\\"')",
    replace: 'visibleLine(text, MAX_NOTE_CHARS)',
    tests: ['approval-lines.test.ts'],
  },
  {
    id: 'terminal-sentence-visible',
    promise: 'A terminal is steered by nothing that a gateway hands it of an approval.',
    in: 'linedUp',
    find: 'visibleLine(part, 300)',
    replace: 'part.slice(0, 300)',
    tests: ['visible.test.ts'],
    only: 'prompts of a terminal',
  },
  {
    id: 'terminal-lines-folded',
    promise:
      'A line that is wider than the terminal does not go on in its first column, as a line of ours would.',
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
    promise: 'A yes with more words behind it is no yes.',
    tests: PROMPT,
    in: 'readAnswer',
    find: "note === '' || answer === 'deny'",
    replace: 'true',
  },
  {
    id: 'prompt-early-keys',
    promise: 'The rest of a line that began before its question could be read answers nothing.',
    tests: PROMPT,
    in: 'makePrompt',
    find: 'isHalfTyped = !ENTER.test(char); continue;',
    replace: 'continue;',
  },
  {
    id: 'prompt-half-typed',
    promise: 'The rest of a line that was begun for another question answers nothing.',
    tests: PROMPT,
    in: 'makePrompt',
    find: "isHalfTyped ||= typed !== ''",
    replace: 'isHalfTyped = false',
  },
  {
    id: 'prompt-keys-visible',
    promise: 'A sentence typed at a prompt holds nothing that does not show.',
    tests: PROMPT,
    in: 'makePrompt',
    remove: '!hasUnseen(char)',
  },
  {
    id: 'deny-all-asks',
    promise: 'Everything that waits is refused at once only after a yes at a terminal.',
    in: 'allThatWait',
    find: 'await confirmHere(`Refuse ${all}? (y/n):`)',
    replace: 'all',
    tests: ['approvals-shown.test.ts'],
    only: 'refused with all others',
  },
  {
    id: 'prompt-settle',
    promise: 'What was typed before a question could be read answers nothing.',
    tests: PROMPT,
    in: 'makePrompt',
    remove: 'now() - shownAt < SETTLE_MS',
  },
  {
    id: 'prompt-withdrawn',
    promise: 'An answer half typed when a question is taken back is thrown away.',
    tests: PROMPT,
    in: 'makePrompt',
    find: "typed = ''; shownAt = now();",
    replace: 'shownAt = now();',
  },
  {
    id: 'local-prompt-keys',
    promise: 'A key typed before the question of `bowline call --local` could be read answers nothing.',
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
