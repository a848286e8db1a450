import type { Control } from './control.ts';

const REFUSED = ['test/worker/gate/refused-strangers.test.ts'];

/** What the ledger costs, and what it keeps. */
export const ledger: readonly Control[] = [
  {
    id: 'refused-strangers-counted',
    promise: 'A refused call of a stranger is counted and gets no row.',
    file: 'src/gate/gate-door.ts',
    find: 'if (seq === undefined && request.caller.principal === ANYBODY) {',
    replace: 'if (false) {',
    tests: REFUSED,
  },
  {
    id: 'refused-strangers-wait',
    promise:
      'An address whose calls come to nothing again and again is turned away before its bodies are read.',
    file: 'src/surfaces/address-limit.ts',
    find: ' || (!credential && isRefusedCall(c.req.path, c.res))',
    replace: '',
    tests: REFUSED,
  },
  {
    id: 'refused-arguments-short',
    promise: 'Of the arguments of a refused call the ledger keeps the beginning.',
    file: 'src/gate/gate-call.ts',
    find: 'if (shownArgs.length <= MAX_REFUSED_ARGS) return',
    replace: 'if (true) return',
    tests: REFUSED,
  },
  {
    id: 'refused-rows',
    promise: 'One caller gets sixty rows a minute by being refused; further refusals are counted.',
    file: 'src/gate/refusals.ts',
    find: 'if (rows >= REFUSED_ROWS_A_MINUTE) return false;',
    replace: '',
    tests: REFUSED,
  },
];
