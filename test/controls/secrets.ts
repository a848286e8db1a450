import type { Control } from './control.ts';

/** What is hidden of secrets, and at what cost. */
export const secrets: readonly Control[] = [
  {
    id: 'secrets-announced',
    promise: 'A secret is hidden after an option, a header or a name that announces it.',
    in: 'SECRET_RULES',
    remove: '...LABELLED',
    tests: ['secret-corpus.test.ts'],
  },
  {
    id: 'secrets-arguments',
    promise: 'A secret is hidden among the arguments of a command.',
    in: 'SECRET_RULES',
    remove: '...ARGUMENTS',
    tests: ['secret-corpus.test.ts'],
  },
  {
    id: 'secrets-arguments-listed',
    promise: 'A secret is hidden among arguments that come as a list.',
    in: 'isAnnounced',
    find: 'isCommand ? list.slice(0, at) : [before]',
    replace: '[before]',
    tests: ['secret-corpus.test.ts'],
  },
  {
    id: 'secrets-scripts',
    promise: 'A secret is hidden after a word of another script that announces it.',
    in: 'findSecrets',
    find: 'wideListOf.get((first << 16) | second)',
    replace: '0',
    tests: ['secret-corpus.test.ts'],
  },
  {
    id: 'secrets-linear',
    promise: 'No pattern for secrets repeats anything without a bound.',
    in: 'SHAPES',
    text: '{8,1024}',
    replace: '{8,}',
    tests: ['secret-growth.test.ts'],
    only: 'repeats nothing without end',
  },
  {
    id: 'secrets-growth',
    promise: 'The search for secrets costs the same for each character, however long the text is.',
    in: 'SHAPES',
    text: '[-_](?!eyJ)',
    replace: '[-_]',
    tests: ['secret-growth.test.ts'],
    only: 'grows as the text does: jwt',
  },
  {
    id: 'patterns-linear',
    promise:
      'Every regular expression in the code takes time in proportion to its text, or reads only short texts.',
    in: 'below',
    text: '(?<!\\/)\\/+$',
    replace: '\\/+$',
    tests: ['slow-patterns.test.ts'],
    only: 'takes time that grows',
  },
  {
    id: 'long-texts',
    promise: 'A long hostile text costs the gateway no more than any other text.',
    in: 'SHAPES',
    text: '(?:[A-Za-z0-9]|[-_](?!eyJ)){8,1024}\\.eyJ[\\w-]{8}',
    replace: '[\\w-]{8,}\\.eyJ[\\w-]{8}',
    together: [
      {
        in: 'unpreparedCall',
        find: 'summaryForLedger(input)',
        replace: 'canonicalJson(redactValue(input))',
      },
    ],
    tests: ['long-texts.test.ts'],
  },
];
