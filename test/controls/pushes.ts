import type { Control } from './control.ts';

/** Pushes in pieces: who goes on with one, and what may come again. */
export const pushes: readonly Control[] = [
  {
    id: 'push-resumed-by-its-own',
    promise: 'Only the one who began a push goes on with it by its name.',
    in: 'unfinished',
    text: 'name = ? AND principal = ?',
    replace: "name = ? AND principal <> ? || 'x'",
    tests: ['pieces.test.ts'],
    only: 'for somebody else',
  },
  {
    id: 'push-shown-by-its-own',
    promise: 'A push counts as shown only for the one who showed it: nobody else can take its name before.',
    in: 'shownName',
    find: 'return `${name} ${principal}`;',
    replace: 'return `${name} ${principal === ""}`;',
    tests: ['pieces.test.ts'],
    only: 'somebody else showed',
  },
  {
    id: 'push-few-unfinished',
    promise: 'A pusher has 16 unfinished pushes at most, so that they do not fill the room.',
    in: 'openPush',
    remove: 'dropEarlier(sql, principal);',
    tests: ['pieces.test.ts'],
    only: 'makes room for a later one',
  },
  {
    id: 'push-piece-again',
    promise: 'A piece that comes again with other files is refused.',
    in: 'stage',
    find: 'digestOf(sql, id, piece) !== digest',
    replace: 'digestOf(sql, id, piece) === undefined',
    tests: ['pieces.test.ts'],
    only: 'before its turn',
  },
  {
    id: 'push-name-same',
    promise: 'A push under the name of an unfinished one is refused if it says something else.',
    in: 'openPush',
    find: 'begun && !isSaidBy(begun, push, open)',
    replace: 'begun && false',
    tests: ['odd-pushes.test.ts'],
    only: 'under the name of an unfinished one',
  },
  {
    id: 'push-true-size',
    promise: 'A content is found by its text, whatever size an earlier push said that it has.',
    in: 'renew',
    find: 'return renewed?.id;',
    replace: 'return undefined;',
    tests: ['odd-pushes.test.ts'],
    only: 'too large',
  },
];
