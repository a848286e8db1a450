import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { machineFailure } from '../../../src/core/machine-failure.ts';
import { AT_THE_GATEWAY } from '../../../src/core/prepared-call.ts';
import { gateDoor } from '../../../src/gate/gate-door.ts';
import type { HostPorts } from '../../../src/joined/host-ports.ts';
import { joinedTool } from '../../../src/joined/run-joined.ts';
import type { JoinedRow } from '../../../src/joined/servers.ts';
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

/** A tool of a server on a machine that was unpaired since. */
const row: JoinedRow = {
  ...{ server: 'notes', url: null, machine: 'mini', machineId: 'm_gone', grade: null, allow: null },
  ...{ checkedAt: null, changedAt: null, before: null },
  tool: {
    ...{ name: 'find', title: 'Find', description: 'Finds.', flags: [], hash: 'h' },
    ...{ inputSchema: { type: 'object' }, outputSchema: { type: 'object' } },
  },
};

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

  it('are looked up no more often for a tool that only one machine has', async () => {
    const asked: unknown[] = [];
    const { ports } = stubbedDoor(
      {},
      {
        place: async (_contract, _input, _caller, onlyOn) => {
          asked.push(onlyOn);
          return machineFailure('unknown_machine');
        },
      },
    );
    // Only its door and its place matter here.
    const host = { door: gateDoor(ports) } as HostPorts;
    const tool = joinedTool(row, new Map(), host);
    const most = tool.contract.limits.perMinute;
    for (let n = 1; n <= most; n += 1)
      expect(failureIn(await tool.call({}, callerNamed('ada'))).code).toBe('unknown_machine');
    // The list of joined tools is made anew all the time, and the count stays.
    const again = joinedTool({ ...row }, new Map(), host);
    expect(failureIn(await again.call({}, callerNamed('ada'))).code).toBe('rate_limited');
    expect(asked).toEqual(Array.from({ length: most }, () => 'm_gone'));
  });
});
