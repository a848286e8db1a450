import type { Control } from './control.ts';

/** What is hidden of secrets, and at what cost. */
export const secrets: readonly Control[] = [
  {
    id: 'secrets-announced',
    promise: 'A secret is hidden that an option, a header or a name announces.',
    file: 'src/core/secret-rules.ts',
    find: '[...SHAPES, ...LABELLED]',
    replace: '[...SHAPES]',
    tests: ['test/node/core/secret-corpus.test.ts'],
  },
  {
    id: 'secrets-linear',
    promise: 'No pattern that looks for secrets repeats anything without end.',
    file: 'src/core/secret-shapes.ts',
    find: '{8,1024}',
    replace: '{8,}',
    tests: ['test/node/core/secret-growth.test.ts'],
    only: 'repeats nothing without end',
  },
  {
    id: 'secrets-growth',
    promise: 'Looking for secrets costs the same for each character of a text, however long it is.',
    file: 'src/core/secret-shapes.ts',
    find: '[-_](?!eyJ)',
    replace: '[-_]',
    tests: ['test/node/core/secret-growth.test.ts'],
    only: '1 KB to 4 MB: jwt',
  },
  {
    id: 'patterns-linear',
    promise:
      'No regular expression in the code takes far longer than its text is long, unless that is short.',
    file: 'src/web/service.ts',
    find: '(?<!\\/)\\/+$',
    replace: '\\/+$',
    tests: ['test/node/slow-patterns.test.ts'],
    only: 'takes time that grows',
  },
  {
    id: 'long-texts',
    promise: 'A long text that is made to keep a pattern busy costs the gateway no more than any other.',
    file: 'src/core/secret-shapes.ts',
    find: "likely('jwt', 'eyJ', /(?:[A-Za-z0-9]|[-_](?!eyJ)){8,1024}\\.eyJ",
    replace: "likely('jwt', 'eyJ', /[\\w-]{8,}\\.eyJ",
    together: [
      {
        file: 'src/gate/gate-call.ts',
        find: 'isInvalid ? summaryForLedger(input)',
        replace: 'isInvalid ? canonicalJson(redactValue(input))',
      },
    ],
    tests: ['test/e2e/long-texts.test.ts'],
  },
];
