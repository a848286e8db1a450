import type { Control } from './control.ts';

/** How much of a request is read, and for how long. */
export const bodies: readonly Control[] = [
  {
    id: 'body-size',
    promise: 'A body over 4 MB is refused while it is read, whatever length it declares.',
    in: 'readBody',
    find: 'gathered.length + value.byteLength > maxBytes',
    replace: 'false',
    tests: ['body.test.ts'],
  },
  {
    id: 'body-pace',
    promise: 'A body that brings less than 240 KB in half a minute and does not end is given up.',
    in: 'keepingPace',
    find: 'arrived < minBytes',
    replace: 'false',
    tests: ['slow-body.test.ts'],
  },
  {
    id: 'body-short-pace',
    promise: 'A short body that is not there within half a minute is given up.',
    in: 'inTime',
    find: 'Promise.race([reading, tooSlow])',
    replace: 'reading',
    tests: ['slow-body.test.ts'],
    only: 'is given up after that',
  },
  {
    id: 'body-short-chunked',
    promise: 'A body in chunks is counted while it is read, whatever short length it declares.',
    in: 'isShort',
    remove: "!headers.has('transfer-encoding')",
    tests: ['body.test.ts'],
  },
  {
    id: 'body-pieces',
    promise: 'A body in thousands of pieces of a few bytes is given up.',
    in: 'keepingPace',
    find: 'pieces > FREE_PIECES + bytes / BYTES_A_PIECE',
    replace: 'false',
    tests: ['slow-body.test.ts'],
    only: 'thousands of pieces',
  },
  {
    id: 'body-scope',
    promise: 'A body over 4 MB is read only for a caller who may call the tool that accepts it.',
    in: 'bodyLimitOf',
    find: 'scopes.has(contract.scope)',
    replace: 'scopes',
    tests: ['worker/rest.test.ts'],
  },
  {
    id: 'body-structure',
    promise: 'A body over 4 MB is accepted only for the length of its texts, never for brackets and commas.',
    in: 'refuseLongStructure',
    find: '++structure > MAX_BODY_BYTES',
    replace: 'false',
    tests: ['body.test.ts'],
  },
  {
    id: 'body-declared',
    promise: 'A body that declares more than 4 MB is refused before it is read.',
    in: 'readBody',
    remove: 'if (Number(declared ?? 0) > maxBytes) throw new BodyTooLarge();',
    tests: ['body.test.ts'],
  },
];
