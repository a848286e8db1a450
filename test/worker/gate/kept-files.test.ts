import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { gateCall, seqIn } from './gate-calls.ts';
import { gateNamed } from './rig.ts';

/** Has a call end that names these files. */
async function ended(files?: string) {
  const gate = gateNamed(crypto.randomUUID());
  const seq = seqIn(await gate.admit(gateCall({ approval: 'never' }), []));
  const end = { at: Date.now(), outcome: 'ok', code: null, bytes: 2, result: '{}' } as const;
  const ending = { seq, end: files === undefined ? end : { ...end, files } };
  // An end that is sent twice is written once.
  for (const _ of [1, 2]) await gate.settle([ending]);
  return { gate, whole: await gate.call(seq), listed: (await gate.ledger({})).entries[0] };
}

describe('the files that a call affected', () => {
  it('are in the ledger with the call', async () => {
    const { whole, listed } = await ended('{"files":["a.txt","b.txt"],"filesTotal":3}');
    for (const one of [whole, listed])
      expect(one).toMatchObject({ files: ['a.txt', 'b.txt'], filesTotal: 3 });
  });

  it('are not there for a call that names none', async () => {
    expect((await ended()).whole).not.toHaveProperty('files');
  });

  it('can not be changed', async () => {
    const { gate } = await ended('{"files":["a.txt"],"filesTotal":1}');
    await runInDurableObject(gate, (_, { storage: { sql } }) => {
      for (const change of ["UPDATE call_files SET files = '[]'", 'DELETE FROM call_files'])
        expect(() => sql.exec(change)).toThrow('append-only');
    });
  });
});
