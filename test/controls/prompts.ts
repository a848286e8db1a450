import type { Control } from './control.ts';

const PROMPT = {
  file: 'local-bridge/agent/prompt/questions.ts',
  tests: ['test/node/bridge/questions.test.ts'],
};

/** What the owner is shown and asked in a terminal, and what counts as their answer. */
export const prompts: readonly Control[] = [
  {
    id: 'terminal-reason-quoted',
    promise: "A model's reason stays within its quotation marks in a terminal, in one line.",
    file: 'src/gate/approval-lines.ts',
    find: `.replaceAll('"', '\\\\"')}"`,
    replace: '}"',
    tests: ['test/node/gate/approval-lines.test.ts'],
  },
  {
    id: 'terminal-sentence-visible',
    promise: 'A terminal is steered by nothing that a gateway hands it of an approval.',
    file: 'src/gate/approval-lines.ts',
    find: 'visibleLine(part, 300)',
    replace: 'part.slice(0, 300)',
    tests: ['test/node/core/visible.test.ts'],
    only: 'prompts of a terminal',
  },
  {
    id: 'terminal-lines-folded',
    promise:
      'A line that is wider than the terminal does not go on in its first column, as a line of ours would.',
    file: 'src/gate/fold-line.ts',
    find: 'if (used + wide > width) {',
    replace: 'if (used + wide > width * 99) {',
    tests: ['test/node/gate/approval-lines.test.ts'],
  },
  {
    id: 'terminal-cut-said',
    promise: 'A terminal says how much of a diff or a command it does not show above the question.',
    file: 'src/gate/approval-lines.ts',
    find: 'return isCut ? [',
    replace: 'return isCut && lines.length < 0 ? [',
    tests: ['test/node/gate/approval-lines.test.ts'],
    only: 'cuts',
  },
  {
    id: 'prompt-yes-alone',
    promise: 'A yes with more words behind it is no yes.',
    ...PROMPT,
    file: 'local-bridge/agent/prompt/answer.ts',
    find: "(note === '' || answer === 'deny')",
    replace: 'true',
  },
  {
    id: 'prompt-early-keys',
    promise: 'The rest of a line that began before its question could be read answers nothing.',
    ...PROMPT,
    find: '          isHalfTyped = !ENTER.test(char);\n          continue;\n        }\n        await press',
    replace: '          continue;\n        }\n        await press',
  },
  {
    id: 'prompt-half-typed',
    promise: 'The rest of a line that was begun for another question answers nothing.',
    ...PROMPT,
    find: "isHalfTyped ||= typed !== '';",
    replace: 'isHalfTyped = false;',
  },
  {
    id: 'prompt-keys-visible',
    promise: 'A sentence typed at a prompt holds nothing that does not show.',
    ...PROMPT,
    find: ' && !hasUnseen(char)',
    replace: '',
  },
  {
    id: 'deny-all-asks',
    promise: 'Everything that waits is refused at once only after a yes at a terminal.',
    file: 'local-bridge/cli/commands/approvals.ts',
    find: 'if (await confirmHere(`Refuse ${all}? (y/n):`)) return',
    replace: 'if (all) return',
    tests: ['test/e2e/approvals-shown.test.ts'],
    only: 'refused with all others',
  },
  {
    id: 'prompt-settle',
    promise: 'What was typed before a question could be read answers nothing.',
    ...PROMPT,
    find: ' || now() - shownAt < SETTLE_MS',
    replace: '',
  },
  {
    id: 'prompt-withdrawn',
    promise: 'An answer half typed when a question is taken back is thrown away.',
    ...PROMPT,
    find: "typed = '';\n    shownAt = now();",
    replace: 'shownAt = now();',
  },
  {
    id: 'local-prompt-keys',
    promise: 'A key typed before the question of `bowline call --local` could be read answers nothing.',
    file: 'local-bridge/agent/prompt/questions.ts',
    find: ' || now() - shownAt < SETTLE_MS',
    replace: '',
    together: [
      {
        file: 'local-bridge/local/gate/ask-here.ts',
        find: '    await turn();\n    await turn();\n',
        replace: '',
      },
    ],
    tests: ['test/e2e/call-local-prompt.test.ts'],
    only: 'takes no key',
  },
];
