import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeConnections } from '../../../bench/support/load.ts';
import { AT_LENGTH } from '../../support/at-length.ts';
import { startLinkBridge } from '../../support/link-bridge.ts';
import { pairTestMachine, startLinkGateway } from '../../support/link-gateway.ts';
import {
  type BothSides,
  journalOf,
  makeCalls,
  memoryOf,
  readSlowly,
  stallAndRead,
} from '../../support/link-load.ts';

const MB = 1_048_576;
/** A little more than fills a journal up to where it is written anew. */
const CALLS = 2_400;
const COMPACT_AT = 256 * 1_024;

// What a process holds is read from where Linux shows it.
describe.skipIf(process.platform !== 'linux')('both sides of a link, in use', () => {
  let sides: BothSides;
  beforeAll(async () => {
    const { worker } = await startLinkGateway();
    const machine = await pairTestMachine(worker, 'used');
    sides = { worker, machine, bridge: await startLinkBridge(machine, worker.url) };
  });
  afterAll(async () => {
    const { worker, machine, bridge } = sides;
    bridge.child.kill('SIGKILL');
    await bridge.ended;
    closeConnections();
    machine.forget();
    await worker.stop();
  });

  it('hold little of a long result that nobody reads', async () => {
    const { length, gatewayRose } = await stallAndRead(sides, 20_000_000);
    expect(length).toBeGreaterThan(20_000_000);
    expect(gatewayRose).toBeLessThan(10 * MB);
  });

  it('do not keep a long result that is read slowly', async () => {
    for (const tool of ['echo', 'count'] as const) {
      const { length, rose } = await readSlowly(sides, tool, 10_000_000);
      expect(length).toBeGreaterThan(10_000_000);
      // What the runtimes have not swept up yet is in this; several copies of the result are not.
      expect(rose.gateway, `${tool}, gateway`).toBeLessThan(64 * MB);
      expect(rose.bridge, `${tool}, bridge`).toBeLessThan(96 * MB);
    }
  });

  it.runIf(AT_LENGTH)('keep nothing of calls that are over', async () => {
    const { machine } = sides;
    const warm = 400;
    await makeCalls(sides, { from: 0, count: warm });
    const before = memoryOf(sides);
    expect(await makeCalls(sides, { from: warm, count: CALLS - warm })).toBe(CALLS - warm);
    const after = memoryOf(sides);
    while (journalOf(machine).held.length > 0) await new Promise((done) => setTimeout(done, 20));
    // Written anew at least once: all that was in it is far more.
    expect(journalOf(machine).bytes).toBeLessThan(COMPACT_AT);
    expect(readdirSync(join(machine.folder, 'link', 'results'))).toEqual([]);
    expect(after.gateway - before.gateway).toBeLessThan(128 * MB);
    expect(after.bridge - before.bridge).toBeLessThan(128 * MB);
  });
});
