import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BareWorker } from '../../../bench/support/workerd.ts';
import { AT_LENGTH } from '../../support/at-length.ts';
import { startCuttingProxy } from '../../support/cutting-proxy.ts';
import {
  connectTestMachine,
  pairTestMachine,
  sendCall,
  startLinkGateway,
  untilState,
} from '../../support/link-gateway.ts';
import { linkTools } from '../../support/link-tools.ts';
import { SOON_MS } from '../../support/soon.ts';

const MACHINES = 20;
const CUTS_EACH = AT_LENGTH ? 10 : 4;

describe('a link that is cut and cut again', () => {
  let worker: BareWorker;
  beforeAll(async () => {
    ({ worker } = await startLinkGateway());
  });
  afterAll(() => worker.stop());

  it('comes back in time, every time, and loses no result', async () => {
    const backAfter: number[] = [];
    const one = async (number: number) => {
      const proxy = await startCuttingProxy(worker.url);
      const { tools, runs } = linkTools();
      const machine = await pairTestMachine(worker, `m${number}`, proxy.url);
      const link = await connectTestMachine(machine, proxy.url, tools);
      for (let cut = 0; cut < CUTS_EACH; cut++) {
        const word = `${number}-${cut}`;
        // One that comes while nobody is there is told so, and that it has not run; it comes again.
        const send = async (tool: string, args: object): Promise<string> => {
          const response = await sendCall(worker, machine, tools, tool, { word, ...args });
          const text = await response.text();
          return text.startsWith('{"kind":"offline"') ? send(tool, args) : text;
        };
        const answers = Promise.all([send('count', { ms: 20 }), send('echo', { times: 30_000 })]);
        await new Promise((done) => setTimeout(done, (cut * 7) % 40));
        const began = performance.now();
        const isBack = new Promise<void>((done) =>
          link.onState(({ is }) => is === 'offline' && untilState(link, 'online').then(done)),
        );
        proxy.cut();
        await isBack;
        backAfter.push(performance.now() - began);
        const [counted, echoed] = await answers;
        expect(counted).toBe(JSON.stringify({ kind: 'ok', output: { text: `${word} 1` } }));
        // Not compared by `toEqual`, whose complaint would be as long as the text.
        const isWhole = echoed === JSON.stringify({ kind: 'ok', output: { text: word.repeat(30_000) } });
        expect(isWhole, echoed.slice(0, 80)).toBe(true);
      }
      expect([...runs.values()]).toEqual(Array.from({ length: CUTS_EACH }, () => 1));
      link.stop();
      proxy.stop();
      machine.forget();
    };
    await Promise.all(Array.from({ length: MACHINES }, (_, number) => one(number)));
    backAfter.sort((a, b) => a - b);
    expect(backAfter).toHaveLength(MACHINES * CUTS_EACH);
    expect(backAfter.at(-1)).toBeLessThan(SOON_MS);
  });
});
