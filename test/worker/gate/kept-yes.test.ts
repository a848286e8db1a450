import { describe, expect, it } from 'vitest';
import type { Preview } from '../../../contracts/preview.ts';
import { approvalIn, gateCall, seqIn } from './gate-calls.ts';
import { gateNamed } from './rig.ts';

const preview: Preview = { facts: [], files: null, diff: null, state: null };

/** Has a call run that the owner approved after this diff. */
async function approved(diff: string | null) {
  const gate = gateNamed(crypto.randomUUID());
  const call = gateCall({ shown: { preview: { ...preview, diff } }, machine: 'mini' });
  const { code } = approvalIn(await gate.admit(call, []));
  await gate.decide(code, 'approve', 'ada', true);
  const seq = seqIn(await gate.admit(call, []));
  const [listed] = (await gate.ledger({})).entries;
  return { gate, code, whole: await gate.call(seq), listed };
}

describe('what the ledger keeps of a yes', () => {
  it('is the diff that was approved, the time it took, the machine and the reason', async () => {
    const { whole, listed, code } = await approved('+one\n-two\n');
    const kept = { diff: '+one\n-two\n', waitedMs: expect.any(Number), machine: 'mini' };
    expect(listed).toMatchObject({ ...kept, decision: 'approved', because: `approval ${code}` });
    expect(whole).toMatchObject(kept);
  });

  it('has no secret in it, and no more than 4,000 characters of a diff', async () => {
    const key = `ghp_${'a1B2'.repeat(9)}`;
    expect((await approved(`+token = "${key}"\n`)).whole?.diff).not.toContain(key);
    const long = (await approved(`+${'a line\n+'.repeat(2_000)}`)).whole?.diff ?? '';
    expect(long.length).toBeLessThan(4_100);
    expect(long).toMatch(/\n… \[\d+ more lines\]$/);
  });

  it('is nothing for a call that needed none', async () => {
    const gate = gateNamed(crypto.randomUUID());
    await gate.admit(gateCall({ approval: 'never' }), []);
    const [entry = {}] = (await gate.ledger({})).entries;
    expect(entry).not.toHaveProperty('waitedMs');
  });

  it('can not be changed', async () => {
    const { gate } = await approved('+one\n');
    const { runInDurableObject } = await import('cloudflare:test');
    await runInDurableObject(gate, (_, { storage: { sql } }) => {
      for (const change of ['UPDATE call_yes SET diff = NULL', 'DELETE FROM call_yes'])
        expect(() => sql.exec(change)).toThrow('append-only');
    });
  });
});
