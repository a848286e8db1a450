import type { Control } from './control.ts';

const ARCHIVE = ['node/gate/ledger-archive.test.ts'];
const ARCHIVED = ['ledger-archived.test.ts'];
const REFUSED = ['refused-strangers.test.ts'];

/** What the ledger costs, and what it keeps. */
export const ledger: readonly Control[] = [
  {
    id: 'refused-strangers-counted',
    promise: "A stranger's refused call is counted and gets no row.",
    in: 'gateDoor',
    find: 'caller.principal !== ANYBODY',
    replace: 'true',
    tests: REFUSED,
  },
  {
    id: 'accepted-strangers-counted',
    promise: "A stranger's accepted call is counted and leaves no row.",
    in: 'admitCall',
    find: 'call.principal === ANYBODY && approval === undefined',
    replace: 'false',
    tests: ['accepted-strangers.test.ts'],
  },
  {
    id: 'accepted-strangers-limited',
    promise: "Strangers' calls without a row still count towards the limit per minute.",
    in: 'admitCall',
    find: "count(false); return { kind: 'admitted', seq: null }",
    replace: "return { kind: 'admitted', seq: null }",
    tests: ['accepted-strangers.test.ts'],
  },
  {
    id: 'refused-strangers-wait',
    promise: 'An address whose calls fail again and again is refused before its bodies are read.',
    in: 'limitRefusals',
    remove: '!credential && isRefusedCall(c.req.path, c.res)',
    tests: REFUSED,
  },
  {
    id: 'refused-arguments-short',
    promise: "The ledger keeps only the beginning of a refused call's arguments.",
    in: 'refusedCall',
    find: 'shownArgs.length <= MAX_REFUSED_ARGS',
    replace: 'true',
    tests: REFUSED,
  },
  {
    id: 'refused-arguments-sent',
    promise:
      'A refused call takes no long arguments along, so those of many fit into one message to the gate.',
    in: 'withoutSent',
    body: 'return whole;',
    tests: ['end-queue.test.ts'],
  },
  {
    id: 'kept-ends',
    promise: 'The end of a change that a full disk did not take is written once there is room.',
    in: 'KeptEnds.write',
    remove: 'this.#keep(ending);',
    tests: ['kept-ends.test.ts', 'refused-ends.test.ts'],
  },
  {
    id: 'kept-ends-bound',
    promise: 'Ends that no gate takes do not fill the memory.',
    in: 'KeptEnds.#keep',
    find: 'this.#kept.size <= MAX_KEPT && this.#chars <= MAX_KEPT_CHARS',
    replace: 'true',
    tests: ['kept-ends.test.ts'],
  },
  {
    id: 'kept-ends-once',
    promise: "However often a call is repeated, no other call's end is given up for it.",
    in: 'KeptEnds.#keep',
    remove: 'if (this.#kept.has(ending.seq)) return;',
    tests: ['kept-ends.test.ts'],
  },
  {
    id: 'kept-ends-behind',
    promise: 'An end that the gate never takes, or has no room for, holds no other one up.',
    in: 'KeptEnds.#failed',
    remove: 'this.#kept.set(seq, kept);',
    tests: ['kept-ends.test.ts'],
  },
  {
    id: 'waiting-ends-bound',
    promise: 'Ends of reads and refusals that no gate takes do not fill the memory.',
    in: 'EndQueue.#dropOldest',
    remove: 'this.#waiting.splice(0, lost);',
    tests: ['end-queue.test.ts'],
  },
  {
    id: 'unheard-calls-end',
    promise:
      'A call that was let in while the answer was lost never ran, and its one row in the ledger says so.',
    in: 'withTheirRows',
    body: 'return [...endings];',
    tests: ['refused-ends.test.ts'],
  },
  {
    id: 'refused-rows',
    promise: "A caller's refused calls get at most sixty rows a minute; further refusals are only counted.",
    in: 'RefusedRows.take',
    remove: 'if (this.#counts.of(principal, at) >= REFUSED_ROWS_A_MINUTE) return false;',
    tests: REFUSED,
  },
  {
    id: 'ledger-archive-needed',
    promise: 'No call of the last day leaves the ledger, because limits and repeats need it there.',
    in: 'isNeeded',
    body: 'return false;',
    tests: ARCHIVE,
  },
  {
    id: 'ledger-archive-read-back',
    promise: 'A call is removed only after it was read back from the archive.',
    in: 'LedgerArchive.#moveOne',
    find: "'problem' in kept",
    replace: 'false',
    tests: ARCHIVE,
  },
  {
    id: 'ledger-archive-unchanged',
    promise:
      'A piece is removed only if it is as it was archived, so that an end written meanwhile is not lost.',
    in: 'moveOut',
    remove: 'if (sha256Hex(bodyOf(rows.toArray())) !== piece.body) return false;',
    tests: ARCHIVE,
  },
  {
    id: 'ledger-archive-hash',
    promise: 'A piece of the archive is shown only if its hash is right.',
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
    promise: 'A computer that saw the archive before notices if it was cut or rewritten.',
    in: 'verifyArchive',
    find: 'witness && verifier.pieces < witness.seq',
    replace: 'false',
    tests: ARCHIVED,
  },
  {
    id: 'ledger-full',
    promise: 'No call runs that cannot be recorded.',
    in: 'Admission.admit',
    find: 'this.#isFull()',
    replace: 'false',
    tests: ARCHIVE,
  },
];
