import { readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { send } from '../../bench/support/load.ts';
import type { BareWorker } from '../../bench/support/workerd.ts';
import type { LinkBridge } from './link-bridge.ts';
import { sendCall, type TestMachine } from './link-gateway.ts';
import { linkTools } from './link-tools.ts';

/** The two processes of a link. */
export interface BothSides {
  readonly worker: BareWorker;
  readonly machine: TestMachine;
  readonly bridge: LinkBridge;
}

export interface Memory {
  readonly gateway: number;
  readonly bridge: number;
}

const { tools } = linkTools();
/** As many as a machine runs at once. */
const AT_ONCE = 8;
/** One result in so many is too long for the journal, and gets a file of its own. */
const LONG_EVERY = 50;
const LONG = 40_000;

export function memoryOf({ worker, bridge }: Pick<BothSides, 'worker' | 'bridge'>): Memory {
  return { gateway: worker.rssBytes(), bridge: bridge.rssBytes() };
}

/** Makes calls until there were so many, or it is told to stop; one in four reads, the others change something. */
export async function makeCalls(
  { worker, machine }: BothSides,
  { from, count, isOver = () => false }: { from: number; count: number; isOver?: () => boolean },
): Promise<number> {
  let next = from;
  let made = 0;
  const one = async () => {
    while (next < from + count && !isOver()) {
      const number = next++;
      const word = `w${number}`;
      const isRead = number % 4 === 0;
      const padding = number % LONG_EVERY === 1 ? LONG : 0;
      const [tool, args] = isRead ? ['echo', { word }] : ['count', { word, padding }];
      const answer = await sendCall(worker, machine, tools, tool, args, `call_${number}`, (url, body) =>
        send(url, { path: '', headers: {}, body }),
      );
      const text = isRead ? word : `${word} 1${'.'.repeat(padding)}`;
      const expected = JSON.stringify({ kind: 'ok', output: { text } });
      if (answer !== expected) throw new Error(`Call ${number} was answered with ${answer.slice(0, 200)}`);
      made += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return made;
}

/** How large a machine's journal is, and which calls it still holds. */
export function journalOf({ folder }: TestMachine): { bytes: number; held: string[] } {
  const path = join(folder, 'link', 'journal');
  const held = new Set<string>();
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue;
    const entry = JSON.parse(line.slice(line.indexOf('{')));
    if (entry.is === 'started') held.add(entry.id);
    if (entry.is === 'forget') for (const id of entry.ids) held.delete(id);
  }
  return { bytes: statSync(path).size, held: [...held] };
}

/** Has a long result read slowly, and gives its length and by how much each side's memory rose meanwhile. */
export async function readSlowly(
  sides: BothSides,
  tool: 'echo' | 'count',
  size: number,
): Promise<{ length: number; rose: Memory }> {
  const { worker, machine } = sides;
  const args = tool === 'echo' ? { word: 'x', times: size } : { word: `slow-${size}`, padding: size };
  const before = memoryOf(sides);
  let peak = before;
  const look = setInterval(() => {
    const { gateway, bridge } = memoryOf(sides);
    peak = { gateway: Math.max(peak.gateway, gateway), bridge: Math.max(peak.bridge, bridge) };
  }, 10);
  try {
    const body = await sendCall(worker, machine, tools, tool, args, undefined, openSlowly);
    let length = 0;
    let pause = 256 * 1_024;
    for await (const chunk of body) {
      length += chunk.length;
      if (length < pause) continue;
      pause += 256 * 1_024;
      await wait(40);
    }
    const rose = { gateway: peak.gateway - before.gateway, bridge: peak.bridge - before.bridge };
    return { length, rose };
  } finally {
    clearInterval(look);
  }
}

/** Has a long result come to a reader who reads nothing, until nothing moves any more, and then reads it all. */
export async function stallAndRead(
  sides: BothSides,
  size: number,
): Promise<{ length: number; gatewayRose: number }> {
  const before = memoryOf(sides).gateway;
  const args = { word: 'x', times: size };
  const body = await sendCall(sides.worker, sides.machine, tools, 'echo', args, undefined, openSlowly);
  let last = Number.NaN;
  let now = memoryOf(sides);
  while (now.gateway + now.bridge !== last) {
    last = now.gateway + now.bridge;
    await wait(300);
    now = memoryOf(sides);
  }
  let length = 0;
  for await (const chunk of body) length += chunk.length;
  return { length, gatewayRose: now.gateway - before };
}

/** Sends as `fetch` does, and reads nothing until it is asked to. */
function openSlowly(url: string, body: string): Promise<Readable> {
  return new Promise((done, failed) => {
    const outgoing = request(url, { method: 'POST' }, done);
    outgoing.once('error', failed);
    outgoing.end(body);
  });
}
