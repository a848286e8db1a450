import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ADMITTED, stubbedDoor } from '../../support/gate-stub.ts';
import { callerNamed } from '../../support/gate-tools.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ada = callerNamed('ada');

it('sends what was refused without its long arguments', async () => {
  const door = stubbedDoor({ admit: async () => ({ kind: 'refused', code: 'denied_by_rule' }) });
  const keep = door.tools.get('desk_keep');
  // The canonical text has its keys in another order, so the gate gets this one as well.
  const args = { path: 'a', content: 'x'.repeat(1_000_000) };
  for (let i = 0; i < 2; i++) await keep?.call(args, ada);
  expect(door.admits[1]?.call.sent?.length).toBeGreaterThan(1_000_000);
  expect(door.admits[1]?.endings).toMatchObject([{ end: { code: 'denied_by_rule' } }]);
  expect(JSON.stringify(door.admits[1]?.endings).length).toBeLessThan(10_000);
});

it('drops the oldest ends before a gate that takes none, and says so', async () => {
  let isDown = true;
  const gone = () => (isDown ? Promise.reject(new Error('gone')) : undefined);
  const door = stubbedDoor({ admit: async () => (await gone()) ?? ADMITTED, settle: async () => gone() });
  const look = () => door.tools.get('desk_look')?.call({ path: 'a' }, ada);
  for (let i = 0; i < 2_005; i++) await look();
  await vi.advanceTimersByTimeAsync(1_000);
  await Promise.all(door.late);
  const lost = door.reported.map(({ error }) => String(error)).filter((text) => text.includes('lost'));
  expect(lost).toEqual(Array(5).fill('Error: The ledger lost the ends of 1 reads or refusals.'));
  isDown = false;
  for (let i = 0; i < 12; i++) await look();
  const arrived = door.admits.slice(-12).flatMap(({ endings }) => endings);
  const old = arrived.flatMap((ending) => ('call' in ending ? [ending.call.callId] : []));
  expect(old).toHaveLength(2_000);
  expect(old).not.toContain('call_5');
  expect(old).toContain('call_6');
});
