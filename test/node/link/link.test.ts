import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BareWorker } from '../../../bench/support/workerd.ts';
import { SCOPES } from '../../../contracts/contract.ts';
import { type Link, startLink } from '../../../local-bridge/agent/link/link.ts';
import { signInAsOwner } from '../../../local-bridge/lib/owner-client.ts';
import { startCuttingProxy } from '../../support/cutting-proxy.ts';
import {
  connectTestMachine,
  pairTestMachine,
  sendCall,
  startLinkGateway,
  type TestMachine,
  untilState,
} from '../../support/link-gateway.ts';
import { linkTools, readFileTools } from '../../support/link-tools.ts';
import { promised } from '../../support/soon.ts';

/** Sends as `fetch` does, and reads nothing until it is asked to. */
const paused = (url: string, body: string) =>
  new Promise<{ text(): Promise<string> }>((done, failed) => {
    const outgoing = request(url, { method: 'POST' }, (incoming) => done({ text: () => text(incoming) }));
    outgoing.once('error', failed);
    outgoing.end(body);
  });

/** More than all the pipes of a computer hold between them. */
const SIZE = 20_000_000;

describe('a machine connected to a real gateway', () => {
  let worker: BareWorker;
  let ownerKey: string;
  let machine: TestMachine;
  let machines = 0;
  let open: { stop(): void }[] = [];
  beforeAll(async () => {
    ({ worker, ownerKey } = await startLinkGateway());
  });
  afterAll(() => worker.stop());
  beforeEach(async () => {
    machine = await pairTestMachine(worker, `mini-${++machines}`);
    open = [];
    return () => {
      for (const one of open) one.stop();
      machine.forget();
    };
  });
  const keep = <T extends { stop(): void }>(one: T): T => {
    open.push(one);
    return one;
  };
  const connect = async (tools = linkTools().tools): Promise<Link> =>
    keep(await connectTestMachine(machine, worker.url, tools));
  const textOf = async (answer: Promise<Response>) => (await answer).text();

  it('carries results of every size, of reads and of effects', async () => {
    const { tools, runs } = linkTools();
    await connect(tools);
    for (const size of [1, 40_000, 131_055, 131_072, 262_144, 1_048_576, 3_000_000]) {
      const read = await textOf(sendCall(worker, machine, tools, 'echo', { word: 'r', times: size }));
      expect(read.length, `read ${size}`).toBe(size + '{"kind":"ok","output":{"text":""}}'.length);
      const word = `e${size}`;
      const done = await textOf(sendCall(worker, machine, tools, 'count', { word, padding: size }));
      expect(done.length, `effect ${size}`).toBeGreaterThan(size);
      expect(runs.get(word)).toBe(1);
    }
    const long = 'ü'.repeat(1_000_000);
    expect(await textOf(sendCall(worker, machine, tools, 'count', { word: long }))).toContain(`${long} 1`);
  });

  it('stalls when nobody reads, and goes on when somebody does', async () => {
    const proxy = keep(await startCuttingProxy(worker.url));
    machine = await pairTestMachine(worker, `slow-${machines}`, proxy.url);
    const { tools } = linkTools();
    keep(await connectTestMachine(machine, proxy.url, tools));
    const response = await sendCall(
      worker,
      machine,
      tools,
      'echo',
      { word: 'x', times: SIZE },
      undefined,
      paused,
    );
    // Until as many bytes are under way as the ends and the pipes between them hold, and no more.
    let before = -1;
    while (before <= 0 || before !== proxy.sent()) {
      before = proxy.sent();
      await new Promise((done) => setTimeout(done, 300));
    }
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(SIZE * 0.75);
    expect((await response.text()).length).toBeGreaterThan(SIZE);
    expect(proxy.sent()).toBeGreaterThan(SIZE);
  });

  it('runs eight at once and the rest after them', async () => {
    const { tools, runs } = linkTools();
    await connect(tools);
    const words = Array.from({ length: 30 }, (_, i) => `w${i}`);
    const answers = words.map((word) => textOf(sendCall(worker, machine, tools, 'count', { word, ms: 30 })));
    expect(await Promise.all(answers)).toEqual(
      words.map((word) => JSON.stringify({ kind: 'ok', output: { text: `${word} 1` } })),
    );
    expect(runs.size).toBe(30);
  });

  it('finishes what runs and takes nothing new when it drains', async () => {
    const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { tools, runs } = linkTools((word) => {
      if (word !== 'last') return;
      begun.resolve();
      return goOn.promise;
    });
    const link = await connect(tools);
    const running = textOf(sendCall(worker, machine, tools, 'count', { word: 'last' }));
    await begun.promise;
    const drained = link.drain();
    const late = await (await sendCall(worker, machine, tools, 'count', { word: 'late' })).json();
    expect(late).toEqual({ kind: 'not_run', why: 'draining' });
    goOn.resolve();
    expect(await running).toContain('last 1');
    await drained;
    expect(link.state.is).toBe('stopped');
    expect(runs.has('late')).toBe(false);
  });

  it('says unknown, and runs nothing again, after it was stopped in the middle', async () => {
    const { tools, runs } = linkTools();
    const first = await connect(tools);
    const answer = textOf(sendCall(worker, machine, tools, 'count', { word: 'cut', ms: 60_000 }, 'call_cut'));
    while (!runs.has('cut')) await new Promise((done) => setTimeout(done, 5));
    first.stop();
    await connect(tools);
    expect(JSON.parse(await answer)).toEqual({ kind: 'unknown' });
    expect(runs.get('cut')).toBe(1);
  });

  it('gives up on a connection that is open and dead', async () => {
    const proxy = keep(await startCuttingProxy(worker.url));
    machine = await pairTestMachine(worker, `deaf-${machines}`, proxy.url);
    const link = keep(await connectTestMachine(machine, proxy.url, linkTools().tools, { pingMs: 50 }));
    proxy.deafen(true);
    await untilState(link, 'offline');
    expect(link.state.why).toContain('two pings');
    proxy.deafen(false);
    proxy.cut();
    await untilState(link, 'online');
  });

  it('hangs up within five seconds of being revoked', async () => {
    const link = await connect();
    const began = performance.now();
    await fetch(`${worker.url}/test-machine/${machine.id}/revoke`);
    await untilState(link, 'refused');
    expect(performance.now() - began).toBeLessThan(promised(5_000));
  });

  it('is one process at a time', async () => {
    await connect();
    const again = () =>
      startLink({
        url: worker.url,
        machine,
        sign: machine.sign,
        tools: linkTools().tools,
        about: { roots: [], version: '0' },
        folder: machine.folder,
        log: () => undefined,
      });
    expect(again).toThrow('Another bowline process already connects this machine');
  });

  it('will not greet a gateway that calls itself something else', async () => {
    machine = await pairTestMachine(worker, `relayed-${machines}`, 'https://the-real-one.example');
    const link = keep(
      startLink({
        url: worker.url,
        machine,
        sign: () => Promise.reject(new Error('signed for a relay')),
        tools: linkTools().tools,
        about: { roots: [], version: '0' },
        folder: machine.folder,
        log: () => undefined,
      }),
    );
    await untilState(link, 'offline');
    expect(link.state.why).toContain('https://the-real-one.example');
  });

  it('answers for its health by the way that calls go', async () => {
    const ping = async () => (await fetch(`${worker.url}/test-machine/${machine.id}/ping`)).json();
    expect(await ping()).toBe(null);
    await connect();
    expect(await ping()).toMatchObject({ running: 0, queued: 0, tools: 2 });
  });

  it('is reached by a tool over REST; what breaks the contract is withheld, and an offline machine is named', async () => {
    const owner = await signInAsOwner(worker.url, ownerKey);
    const { secret } = await owner.createToken({ name: `t${machines}`, scopes: SCOPES, days: 1 });
    const read = async (path: string) => {
      const response = await fetch(`${worker.url}/tools/read_file`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ path, machine: machine.name }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const began = performance.now();
    expect(await read('good')).toMatchObject({ status: 503, body: { code: 'machine_offline' } });
    // It waits for fifteen seconds if the machine has just gone.
    expect(performance.now() - began).toBeLessThan(14_000);
    await connect(readFileTools());
    expect(await read('good')).toMatchObject({ status: 200, body: { success: true } });
    // The gateway writes into its log that `read_file` broke its contract. Such an answer may also come from a newer bridge.
    expect(await read('broken')).toMatchObject({
      status: 502,
      body: { code: 'malformed_output', suggestion: expect.stringContaining('the same version') },
    });
    expect(await read('unknown-code')).toMatchObject({ status: 502, body: { code: 'malformed_output' } });
    expect(await read('missing')).toMatchObject({ status: 404, body: { code: 'file_not_found' } });

    // The bridge reads the very text that was decided about, once, and writes it in no form of its own.
    const word = 'good/what-the-caller-wrote';
    const parse = vi.spyOn(JSON, 'parse');
    const stringify = vi.spyOn(JSON, 'stringify');
    expect(await read(word)).toMatchObject({ status: 200 });
    const readings = parse.mock.calls.filter(([text]) => String(text).startsWith('{"machine":'));
    expect(readings.filter(([text]) => text.includes(word))).toHaveLength(1);
    expect(stringify.mock.calls.filter(([value]) => value === word)).toHaveLength(0);
    vi.restoreAllMocks();
  });
});
