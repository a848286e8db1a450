import type { Control } from './control.ts';

/** The same call sent again. */
export const repeats: readonly Control[] = [
  {
    id: 'repeats',
    promise: 'A repeat gets the first outcome.',
    in: 'admitCall',
    remove: 'if (answer) return answer;',
    tests: ['gate/repeats.test.ts'],
  },
  {
    id: 'repeat-conflict',
    promise: 'A key that was used for another call is a conflict.',
    in: 'answerToRepeat',
    remove: "if (earlier.digest !== call.digest) return { kind: 'refused', code: 'idempotency_conflict' };",
    tests: ['gate/repeats.test.ts'],
  },
  {
    id: 'repeat-principal-key',
    promise: "A key gives nobody the outcome of another's call.",
    in: 'callMarked',
    text: 'WHERE principal = ? AND tool = ? AND idem = ?',
    replace: 'WHERE (principal = ? OR 1) AND tool = ? AND idem = ?',
    tests: ['gate/repeats.test.ts'],
  },
  {
    id: 'repeat-proof',
    promise:
      'A call runs again, however similar and soon, unless something proves that it is the same request.',
    in: 'whoCalls',
    find: 'caller.requestName ?? null',
    replace: "caller.requestName ?? 'any request'",
    tests: ['gate/repeats.test.ts'],
  },
  {
    id: 'repeat-changed',
    promise: 'A request that arrives twice runs again if anything changed in between.',
    in: 'answerToRepeat',
    remove: '!changedSince(sql, call.principal, named.seq)',
    tests: ['gate/repeats.test.ts'],
  },
  {
    id: 'replay-as-data',
    promise: 'The data of a replayed result say that it is replayed.',
    in: 'replayed',
    find: '{ ...output, replayed: true }',
    replace: 'output',
    tests: ['gate-door.test.ts'],
  },
  {
    id: 'replay-first-line',
    promise: 'The first line of a replayed result says that it is replayed.',
    in: 'textOf',
    file: 'mcp-render.ts',
    find: 'replayLine(output)',
    replace: 'undefined',
    tests: ['gate/repeats.test.ts'],
  },
  {
    id: 'replay-checked',
    promise: 'A replayed result is checked, marked and cut like a new one.',
    in: 'runPrepared',
    find: 'checkOutput(contract, admission, caller, door, callId)',
    replace: 'admission',
    tests: ['gate-door.test.ts'],
  },
  {
    id: 'repeat-asks',
    promise: 'A repeat of a call without an end in the ledger is answered by the side that had to run it.',
    in: 'fateOf',
    find: 'await ports.fate?.(call, { callId: earlier.callId, at: earlier.at })',
    replace: 'undefined',
    tests: ['earlier-answer.test.ts'],
  },
  {
    id: 'repeat-unknown',
    promise: 'A call that no machine knows does not count as not run.',
    in: 'fateOnMachine',
    find: "if (!kept) return { kind: 'unknown' };",
    replace: "if (!kept) return { kind: 'not_run' };",
    tests: ['earlier-answer.test.ts'],
  },
];
