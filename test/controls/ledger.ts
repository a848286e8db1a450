import type { Control } from './control.ts';

const ARCHIVE = ['test/node/gate/ledger-archive.test.ts'];
const ARCHIVED = ['test/node/gate/ledger-archived.test.ts'];
const REFUSED = ['test/worker/gate/refused-strangers.test.ts'];

/** What the ledger costs, and what it keeps. */
export const ledger: readonly Control[] = [
  {
    id: 'refused-strangers-counted',
    promise: 'A refused call of a stranger is counted and gets no row.',
    file: 'src/gate/gate-door.ts',
    find: 'if (caller.principal !== ANYBODY) {',
    replace: 'if (true) {',
    tests: REFUSED,
  },
  {
    id: 'refused-strangers-wait',
    promise:
      'An address whose calls come to nothing again and again is turned away before its bodies are read.',
    file: 'src/http/address-limit.ts',
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
    find: 'if (this.#counts.of(principal, at) >= REFUSED_ROWS_A_MINUTE) return false;',
    replace: '',
    tests: REFUSED,
  },
  {
    id: 'ledger-archive-needed',
    promise: 'No call of the last day is moved out of the ledger: limits and repeats look there.',
    file: 'src/gate/archive-rows.ts',
    find: 'return at > now - DAY && at <= now + DAY;',
    replace: 'return false;',
    tests: ARCHIVE,
  },
  {
    id: 'ledger-archive-read-back',
    promise: 'A call is removed only after the archive was read back and held it.',
    file: 'src/gate/archive.ts',
    find: "if ('problem' in kept) throw",
    replace: 'if (false) throw',
    tests: ARCHIVE,
  },
  {
    id: 'ledger-archive-unchanged',
    promise: 'A piece is removed only as it was written: an end that came meanwhile is not lost.',
    file: 'src/gate/archive-rows.ts',
    find: 'if (sha256Hex(bodyOf(rows.toArray())) !== piece.body) return false;',
    replace: '',
    tests: ARCHIVE,
  },
  {
    id: 'ledger-archive-hash',
    promise: 'What the archive gives back is shown only if it has its hash.',
    file: 'src/core/ledger-archive.ts',
    find: 'if (end < 0 || sha256Hex(body) !== piece.body) return',
    replace: 'if (end < 0) return',
    tests: ARCHIVED,
  },
  {
    id: 'ledger-archive-chain',
    promise: 'Each piece of the archive is linked to the one before.',
    file: 'src/core/ledger-archive.ts',
    find: "if (piece.prev !== this.#head) return 'it is not linked to the piece before it';",
    replace: '',
    tests: ARCHIVED,
  },
  {
    id: 'ledger-archive-signed',
    promise: "Each piece of the archive is signed by the gateway's key.",
    file: 'local-bridge/cli/ledger/verify.ts',
    find: 'return verifyProof(key, archiveText(piece), piece.signature);',
    replace: 'return true;',
    tests: ARCHIVED,
  },
  {
    id: 'ledger-archive-witness',
    promise: 'An archive that was cut or written anew is noticed by a computer that saw it before.',
    file: 'local-bridge/cli/ledger/verify.ts',
    find: 'if (witness && verifier.pieces < witness.seq)',
    replace: 'if (false)',
    tests: ARCHIVED,
  },
  {
    id: 'ledger-full',
    promise: 'No call runs that cannot be written down any more.',
    file: 'src/gate/gate.ts',
    find: 'if (this.#isFull()) {',
    replace: 'if (false) {',
    tests: ARCHIVE,
  },
];
