import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { BareWorker } from '../../../bench/support/workerd.ts';
import { type LinkBridge, startLinkBridge } from '../../support/link-bridge.ts';
import { pairTestMachine, sendCall, startLinkGateway, type TestMachine } from '../../support/link-gateway.ts';
import { linkTools } from '../../support/link-tools.ts';

const HOLD_MS = 1_500;

describe('a machine that is a process of its own', () => {
  const { tools } = linkTools();
  let worker: BareWorker;
  let machine: TestMachine;
  let machines = 0;
  let bridges: LinkBridge[] = [];
  beforeAll(async () => {
    ({ worker } = await startLinkGateway());
  });
  afterAll(() => worker.stop());
  beforeEach(async () => {
    machine = await pairTestMachine(worker, `process-${++machines}`);
    return async () => {
      for (const { child, ended } of bridges) {
        child.kill('SIGKILL');
        await ended;
      }
      bridges = [];
      machine.forget();
    };
  });
  const start = async () => {
    const bridge = await startLinkBridge(machine, worker.url);
    bridges.push(bridge);
    return bridge;
  };
  const send = async (args: object, id?: string) =>
    (await sendCall(worker, machine, tools, 'count', args, id)).text();
  const outcome = async (id: string) =>
    (await fetch(`${worker.url}/test-outcome/${machine.id}/${id}`)).json() as Promise<
      Record<string, unknown>
    >;
  const until = async (holds: () => boolean | Promise<boolean>) => {
    while (!(await holds())) await new Promise((done) => setTimeout(done, 10));
  };

  it('finishes what runs when it is told to end, hands it over, and ends well', async () => {
    const bridge = await start();
    const answer = send({ word: 'last', ms: 600 });
    await until(() => bridge.runs().includes('last'));
    bridge.child.kill('SIGTERM');
    expect(JSON.parse(await answer)).toEqual({ kind: 'ok', output: { text: 'last 1' } });
    expect(await bridge.ended).toBe(0);
    expect(bridge.output()).toContain('draining');
    expect(await send({ word: 'late' })).toContain('offline');
    expect(bridge.runs()).toEqual(['last']);
  });

  it('hands over a long result too, and then does not wait for its time to run out', async () => {
    const bridge = await start();
    const answer = send({ word: 'long', ms: 300, padding: 3_000_000 });
    await until(() => bridge.runs().includes('long'));
    const began = performance.now();
    bridge.child.kill('SIGTERM');
    expect((await answer).length).toBeGreaterThan(3_000_000);
    expect(await bridge.ended).toBe(0);
    // It would give up after twenty seconds.
    expect(performance.now() - began).toBeLessThan(19_000);
  });

  it('does not know what came of what it was killed in, and does not do it again', async () => {
    const first = await start();
    const answer = send({ word: 'cut', ms: 60_000 }, 'call_killed');
    await until(() => first.runs().includes('cut'));
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await start();
    expect(JSON.parse(await answer)).toMatchObject({ kind: expect.stringMatching(/^unknown$|^running$/) });
    await until(async () => (await outcome('call_killed')).state !== 'open');
    expect(await outcome('call_killed')).toMatchObject({ state: 'unknown', text: null });
    // Asked for again by its id, or by a third process: it stays undone.
    expect(JSON.parse(await send({ word: 'cut', ms: 60_000 }, 'call_killed'))).toEqual({ kind: 'unknown' });
    second.child.kill('SIGKILL');
    await second.ended;
    const third = await start();
    expect(JSON.parse(await send({ word: 'next' }))).toEqual({ kind: 'ok', output: { text: 'next 1' } });
    expect(third.runs()).toEqual(['cut', 'next']);
  });

  it('answers that an effect still runs, and has its outcome to ask for later', async () => {
    // A gateway of its own: on a busy machine the other tests would not be answered in so short a time.
    const usual = worker;
    ({ worker } = await startLinkGateway({ holdMs: HOLD_MS }));
    const short = worker;
    onTestFinished(async () => {
      worker = usual;
      await short.stop();
    });
    machine.forget();
    machine = await pairTestMachine(short, 'held');
    const bridge = await start();
    const began = performance.now();
    expect(JSON.parse(await send({ word: 'slow', ms: HOLD_MS + 700 }, 'call_slow'))).toEqual({
      kind: 'running',
    });
    expect(performance.now() - began).toBeGreaterThanOrEqual(HOLD_MS - 50);
    expect(await outcome('call_slow')).toMatchObject({ state: 'open', text: null });
    await until(async () => (await outcome('call_slow')).state !== 'open');
    expect(await outcome('call_slow')).toMatchObject({
      state: 'done',
      text: '{"kind":"ok","output":{"text":"slow 1"}}',
    });
    expect(bridge.runs()).toEqual(['slow']);
  });

  it('leaves nothing in its journal of what the gateway has', async () => {
    const bridge = await start();
    for (const word of ['one', 'two']) await send({ word });
    const journal = join(machine.folder, 'link', 'journal');
    const forgotten = () => readFileSync(journal, 'utf8').match(/"is":"forget"/g)?.length ?? 0;
    await until(() => forgotten() === 2);
    bridge.child.kill('SIGTERM');
    expect(await bridge.ended).toBe(0);
    await start();
    expect(readFileSync(journal, 'utf8').trim().split('\n')).toHaveLength(3);
    expect(existsSync(join(machine.folder, 'link', 'results'))).toBe(true);
  });
});
