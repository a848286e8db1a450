import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { machineFailure } from '../../../src/core/machine-failure.ts';
import { AT_THE_GATEWAY } from '../../../src/core/prepared-call.ts';
import { stubbedDoor } from '../../support/gate-stub.ts';
import { callerNamed, deskTools } from '../../support/gate-tools.ts';
import { failureIn } from '../../support/tools.ts';

const LIMIT = deskTools['desk.look'].limits.perMinute;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function call(door: ReturnType<typeof stubbedDoor>, tool: string, principal = 'ada') {
  const result = await door.tools.get(tool)?.call({ path: 'a' }, callerNamed(principal));
  if (!result) throw new Error(`there is no ${tool}`);
  return result;
}

describe('calls that name a place that is not there', () => {
  it('are looked up as often as the tool may be called in a minute, and no more', async () => {
    let asked = 0;
    let isThere = false;
    let isAway = true;
    const place = async () => {
      if (isAway) return machineFailure('machine_offline');
      asked += 1;
      return isThere ? AT_THE_GATEWAY : machineFailure('unknown_machine');
    };
    const door = stubbedDoor({}, { place });
    vi.setSystemTime(1_800_000_000_000);
    // A machine that is away is no place that is not there.
    for (let n = 0; n < LIMIT; n += 1) await call(door, 'desk_look');
    isAway = false;
    for (let n = 1; n <= LIMIT; n += 1) {
      expect(failureIn(await call(door, 'desk_look')).code).toBe('unknown_machine');
    }
    expect(failureIn(await call(door, 'desk_look'))).toMatchObject({ code: 'rate_limited', retry_after: 60 });
    expect(asked).toBe(LIMIT);
    // Other callers and tools have minutes of their own, and what is there uses up nothing.
    isThere = true;
    for (let n = 0; n <= LIMIT; n += 1) await call(door, 'desk_look', 'bob');
    expect(await call(door, 'desk_look', 'bob')).toMatchObject({ kind: 'ok' });
    expect(await call(door, 'desk_keep')).toMatchObject({ kind: 'ok' });
    expect(failureIn(await call(door, 'desk_look')).code).toBe('rate_limited');
    vi.setSystemTime(1_800_000_060_000);
    expect(await call(door, 'desk_look')).toMatchObject({ kind: 'ok' });
  });
});
