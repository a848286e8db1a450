import type { Control } from './control.ts';

/** What is hidden of secrets, and at what cost. */
export const secrets: readonly Control[] = [
  {
    id: 'secrets-announced',
    promise: 'A secret is hidden that an option, a header or a name announces.',
    in: 'SECRET_RULES',
    remove: '...LABELLED',
    tests: ['secret-corpus.test.ts'],
  },
  {
    id: 'secrets-arguments',
    promise: 'A secret is hidden that stands among the arguments of a command.',
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
    promise: 'A secret is hidden that a word of another script announces.',
    in: 'findSecrets',
    find: 'wideListOf.get((first << 16) | second)',
    replace: '0',
    tests: ['secret-corpus.test.ts'],
  },
  {
    id: 'secrets-linear',
    promise: 'No pattern that looks for secrets repeats anything without end.',
    in: 'SHAPES',
    text: '{8,1024}',
    replace: '{8,}',
    tests: ['secret-growth.test.ts'],
    only: 'repeats nothing without end',
  },
  {
    id: 'secrets-growth',
    promise: 'Looking for secrets costs the same for each character of a text, however long it is.',
    in: 'SHAPES',
    text: '[-_](?!eyJ)',
    replace: '[-_]',
    tests: ['secret-growth.test.ts'],
    only: 'grows as the text does: jwt',
  },
  {
    id: 'patterns-linear',
    promise:
      'No regular expression in the code takes far longer than its text is long, unless that is short.',
    in: 'below',
    text: '(?<!\\/)\\/+$',
    replace: '\\/+$',
    tests: ['slow-patterns.test.ts'],
    only: 'takes time that grows',
  },
  {
    id: 'long-texts',
    promise: 'A long text that is made to keep a pattern busy costs the gateway no more than any other.',
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
