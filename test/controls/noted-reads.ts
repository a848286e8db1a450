import type { Control } from './control.ts';

const NOTED = ['noted-reads.test.ts'];
const PLAIN = ['plain-reads.test.ts'];

/** Reads that are decided in memory and written with their end. */
export const notedReads: readonly Control[] = [
  {
    id: 'noted-read-limit',
    promise: 'Reads that have no row yet count towards the limit per minute.',
    in: 'rateWait',
    remove: 'noted?.write();',
    tests: NOTED,
  },
  {
    id: 'noted-read-told',
    promise: 'A gate that lost its memory is told of the open reads of a caller before it lets them read on.',
    in: 'Admission.admitRead',
    remove: "if (life !== null && life !== noted.life) return { kind: 'tell' };",
    tests: NOTED,
  },
  {
    id: 'noted-read-brought',
    promise: 'The end of a read brings the read itself to a gate that has forgotten it.',
    in: 'NotedReads.#endElsewhere',
    remove: 'this.#row(callId, { call, at: noted.at }, end);',
    tests: NOTED,
  },
  {
    id: 'noted-read-once',
    promise: 'A read has one row in the ledger, however often its end comes.',
    in: 'NotedReads.#endElsewhere',
    find: 'this.#begun.get(callId) ?? rowOf(this.#sql, callId, noted.after)',
    replace: 'this.#begun.get(callId)',
    tests: NOTED,
  },
  {
    id: 'noted-read-kept',
    promise: 'The isolate that made a read knows it until its row is surely written.',
    in: 'OpenReads.#send',
    find: 'if (ms === WAITS_MS.at(-1)) throw error;',
    replace: 'throw error;',
    tests: NOTED,
  },
  {
    id: 'noted-read-seen',
    promise: 'Whoever reads the ledger sees reads that have no row yet.',
    in: 'GateObject.ledger',
    remove: 'this.gate.writeNoted();',
    tests: NOTED,
  },
  {
    id: 'noted-read-goes-on',
    promise: 'A read that goes on gets its row meanwhile.',
    in: 'NotedReads.#watch',
    remove: 'this.#ports.writeOld();',
    tests: NOTED,
  },
  {
    id: 'noted-read-order',
    promise: 'A change has its row after those of the reads that were let in before it.',
    in: 'admitCall',
    remove: 'law.noted?.write();',
    tests: NOTED,
  },
  {
    id: 'noted-read-rules',
    promise: 'No read that a rule denies or asks about does without a row.',
    in: 'noteRead',
    remove:
      "if (judged === 'look' || judged.verdict !== 'allow' || judged.because.kind !== 'default') return undefined;",
    tests: PLAIN,
  },
  {
    id: 'noted-read-groups',
    promise: 'No read of a group that the owner switched off is let in by memory.',
    in: 'noteRead',
    remove: 'if (call.group !== undefined && law.groupsOff.has(call.group)) return undefined;',
    tests: PLAIN,
  },
  {
    id: 'noted-read-half',
    promise: 'Reads are let in by memory only while less than half of their limit is used.',
    in: 'noteRead',
    find: 'most * 2 >= perMinuteOf(call, law)',
    replace: 'most >= perMinuteOf(call, law)',
    tests: PLAIN,
  },
  {
    id: 'noted-read-strangers',
    promise: 'No read of a stranger is let in by memory.',
    in: 'noteRead',
    remove: 'if (!call.isPlainRead || call.principal === ANYBODY) return undefined;',
    tests: PLAIN,
  },
  {
    id: 'noted-read-plain',
    promise: 'Only a read of what the gateway itself has does without a row until it ends.',
    in: 'isPlainRead',
    find: 'machine === null && !hints.openWorld',
    replace: "contract.name !== ''",
    tests: PLAIN,
  },
  {
    id: 'noted-read-full',
    promise: 'No read is let in by memory that cannot be recorded.',
    in: 'Admission.admitRead',
    find: 'this.#isFull()',
    replace: 'false',
    tests: PLAIN,
  },
  {
    id: 'noted-change-never',
    promise: 'The database refuses a change that is written with its end.',
    in: 'call_whole_is_read',
    text: 'WHEN NEW.ok_at IS NOT NULL AND (NEW.effect <> 0 OR NEW.ok_bytes IS NULL)',
    replace: 'WHEN 0',
    tests: ['ledger-rows.test.ts'],
  },
  {
    id: 'noted-read-ends-once',
    promise: 'The database refuses a second end of a read that was written with its end.',
    in: 'call_end_is_first',
    text: 'WHEN (SELECT ok_at FROM call WHERE seq = NEW.seq) IS NOT NULL',
    replace: 'WHEN 0',
    tests: ['ledger-rows.test.ts'],
  },
];
