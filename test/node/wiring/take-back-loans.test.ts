import { expect, it } from 'vitest';
import { takeBackLoans } from '../../../src/wiring/take-back-loans.ts';

/** A gate that names those calls, and machines that hear of them, or fail. */
function objectsWith(sends: { callId: string; machineId: string }[], broken: string[] = []) {
  const heard: [machine: string, ids: string[]][] = [];
  const gate = () => ({ endLoans: async () => ({ count: 1, sends }) });
  const machine = (id: string) => ({
    cancelAll: async (ids: string[]) => {
      heard.push([id, ids]);
      if (broken.includes(id)) throw new Error(`${id} is not there`);
    },
  });
  return { gate, machine, heard };
}

it('tells each machine once, however much a loan let in', async () => {
  const sends = Array.from({ length: 1_200 }, (_, i) => ({ callId: `call_${i}`, machineId: `m_${i % 2}` }));
  const objects = objectsWith(sends);
  expect(await takeBackLoans({}, objects)).toBe(1);
  const idsOn = (id: string) => sends.flatMap((one) => (one.machineId === id ? [one.callId] : []));
  expect(objects.heard).toEqual(['m_0', 'm_1'].map((id) => [id, idsOn(id)]));
});

it('tells no machine if nothing is under way', async () => {
  const objects = objectsWith([]);
  expect([await takeBackLoans({}, objects), objects.heard]).toEqual([1, []]);
});

it('tells all machines, and says that it failed if one of them could not be told', async () => {
  const sends = ['m_0', 'm_1'].map((machineId) => ({ callId: 'call', machineId }));
  const objects = objectsWith(sends, ['m_0']);
  await expect(takeBackLoans({}, objects)).rejects.toThrow('m_0 is not there');
  expect(objects.heard.map(([id]) => id)).toEqual(['m_0', 'm_1']);
});
