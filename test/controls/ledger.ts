import type { Control } from './control.ts';

const ARCHIVE = ['node/gate/ledger-archive.test.ts'];
const ARCHIVED = ['ledger-archived.test.ts'];
const REFUSED = ['refused-strangers.test.ts'];

/** What the ledger costs, and what it keeps. */
export const ledger: readonly Control[] = [
  {
    id: 'refused-strangers-counted',
    promise: 'A refused call of a stranger is counted and gets no row.',
    in: 'gateDoor',
    find: 'caller.principal !== ANYBODY',
    replace: 'true',
    tests: REFUSED,
  },
  {
    id: 'refused-strangers-wait',
    promise:
      'An address whose calls come to nothing again and again is turned away before its bodies are read.',
    in: 'limitRefusals',
    remove: '!credential && isRefusedCall(c.req.path, c.res)',
    tests: REFUSED,
  },
  {
    id: 'refused-arguments-short',
    promise: 'Of the arguments of a refused call the ledger keeps the beginning.',
    in: 'refusedCall',
    find: 'shownArgs.length <= MAX_REFUSED_ARGS',
    replace: 'true',
    tests: REFUSED,
  },
  {
    id: 'refused-rows',
    promise: 'One caller gets sixty rows a minute by being refused; further refusals are counted.',
    in: 'RefusedRows.take',
    remove: 'if (this.#counts.of(principal, at) >= REFUSED_ROWS_A_MINUTE) return false;',
    tests: REFUSED,
  },
  {
    id: 'ledger-archive-needed',
    promise: 'No call of the last day is moved out of the ledger: limits and repeats look there.',
    in: 'isNeeded',
    body: 'return false;',
    tests: ARCHIVE,
  },
  {
    id: 'ledger-archive-read-back',
    promise: 'A call is removed only after the archive was read back and held it.',
    in: 'LedgerArchive.#moveOne',
    find: "'problem' in kept",
    replace: 'false',
    tests: ARCHIVE,
  },
  {
    id: 'ledger-archive-unchanged',
    promise: 'A piece is removed only as it was written: an end that came meanwhile is not lost.',
    in: 'moveOut',
    remove: 'if (sha256Hex(bodyOf(rows.toArray())) !== piece.body) return false;',
    tests: ARCHIVE,
  },
  {
    id: 'ledger-archive-hash',
    promise: 'What the archive gives back is shown only if it has its hash.',
    in: 'linesOf',
    remove: 'sha256Hex(body) !== piece.body',
    tests: ARCHIVED,
  },
  {
    id: 'ledger-archive-chain',
    promise: 'Each piece of the archive is linked to the one before.',
    in: 'ArchiveVerifier.next',
    remove: "if (piece.prev !== this.#head) return 'it is not linked to the piece before it';",
    tests: ARCHIVED,
  },
  {
    id: 'ledger-archive-signed',
    promise: "Each piece of the archive is signed by the gateway's key.",
    in: 'isSignedBy',
    find: 'verifyProof(key, archiveText(piece), piece.signature)',
    replace: 'true',
    tests: ARCHIVED,
  },
  {
    id: 'ledger-archive-witness',
    promise: 'An archive that was cut or written anew is noticed by a computer that saw it before.',
    in: 'verifyArchive',
    find: 'witness && verifier.pieces < witness.seq',
    replace: 'false',
    tests: ARCHIVED,
  },
  {
    id: 'ledger-full',
    promise: 'No call runs that cannot be written down any more.',
    in: 'Gate.admit',
    find: 'this.#isFull()',
    replace: 'false',
    tests: ARCHIVE,
  },
];
