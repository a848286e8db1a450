import type { Control } from './control.ts';

const CARDS = ['worker/cards.test.ts'];
const FOLLOWS = ['surfaces/card-calls.test.ts'];

/** Cards in the chat, which show calls and decide nothing. */
export const cards: readonly Control[] = [
  {
    id: 'card-own',
    promise: 'A card shows a waiting call only to the principal that made it.',
    in: 'cardState',
    find: 'known?.principal !== principal',
    replace: 'known === undefined',
    tests: CARDS,
  },
  {
    id: 'card-facts',
    promise:
      'Before the owner says yes, a card tells its caller nothing that the look at a machine or the memory found.',
    in: 'callOf',
    file: 'card-state.ts',
    find: 'risk: row.risk',
    replace: 'risk: row.risk, facts: row.shown',
    tests: CARDS,
    only: 'tells nothing',
  },
  {
    id: 'card-long',
    promise: 'A card that asks again and again has no long arguments read for it.',
    in: 'shortArgs',
    find: 'sql.exec<{ bytes: number }>(size, approval).one().bytes > maxBytes',
    replace: 'false',
    tests: CARDS,
    only: 'long arguments',
  },
  {
    id: 'card-scope',
    promise: 'No machine is asked for a card whose caller may not call the tool.',
    in: 'askedAbout',
    file: 'card-follow.ts',
    remove: '!caller.scopes.has(tool.contract.scope)',
    tests: FOLLOWS,
  },
  {
    id: 'card-run-own',
    promise: 'What a running call said so far is shown only to the principal that made the call.',
    in: 'runningCall',
    find: 'row?.principal !== principal',
    replace: 'row === undefined',
    tests: ['machines/get-call.test.ts'],
    only: 'its own caller',
  },
  {
    id: 'card-run-scope',
    promise: 'A caller without the scope for machines is shown nothing of what runs there.',
    in: 'followed',
    file: 'card-follow.ts',
    find: "run && caller.scopes.has('machine')",
    replace: 'run',
    tests: FOLLOWS,
  },
  {
    id: 'card-place',
    promise:
      'A card of a call that nobody was asked about names its machine and folder only to a caller who may list machines.',
    in: 'sentenceFor',
    find: "caller.scopes.has('read')",
    replace: 'true',
    tests: FOLLOWS,
  },
  {
    id: 'card-declared',
    promise:
      'Only clients that say that they show cards can follow a waiting call or read the page of cards.',
    in: 'declaresCards',
    find: 'isRecord(said) && Array.isArray(said.mimeTypes) && said.mimeTypes.includes(CARD_TYPE)',
    replace: 'capabilities !== 1',
    tests: CARDS,
  },
  {
    id: 'card-listed',
    promise: 'A list that was made for clients with cards goes to no other client.',
    in: 'mcpOverHttp',
    find: "[caller.scopes.has('read'), showsCards === true]",
    replace: "[caller.scopes.has('read')]",
    tests: CARDS,
  },
  {
    id: 'card-policy',
    promise: 'The page of a card reaches no address, whatever the program that shows it allows.',
    in: 'POLICY',
    find: '"default-src \'none\'"',
    replace: '"default-src *"',
    tests: CARDS,
  },
  {
    id: 'card-text',
    promise: 'Texts of strangers stay text in a card, with the invisible spelt out.',
    in: 'element',
    file: 'elements.browser.ts',
    find: 'visible(one)',
    replace: 'one',
    tests: ['card-looks.test.ts'],
    only: 'stays text',
  },
  {
    id: 'card-address',
    promise: 'A card opens no address but one of the web.',
    in: 'hits',
    remove: '/^https?:\\/\\//.test(address)',
    tests: ['card-looks.test.ts'],
    only: 'opens no address',
  },
];
