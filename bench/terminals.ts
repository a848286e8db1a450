import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { MAX_SESSIONS } from '../contracts/terminal-session-fields.ts';
import { withPreviews } from '../local-bridge/agent/link/preview.ts';
import { openMachine } from '../local-bridge/agent/machine.ts';
import { machineDoor } from '../local-bridge/agent/policy/door.ts';
import { type OwnerSession, signInAsOwner } from '../local-bridge/lib/owner-client.ts';
import {
  connectTestMachine,
  pairTestMachine,
  sendCall,
  startLinkGateway,
} from '../test/support/link-gateway.ts';
import { startTwoSides } from '../test/support/two-sides.ts';
import { decideUntil } from '../test/support/waiting-calls.ts';
import { figure } from './support/figures.ts';
import { closeConnections, send } from './support/load.ts';

/**
 * Measures lasting terminals: the time from `terminal_send` to the first output that a waiting `terminal_read` gives,
 * through the whole gateway, over the link alone, and over the link after one row that an object writes, which is the
 * least that a record before a call can cost; and what other calls take while all sessions print at full speed. Rounds
 * alternate. The read waits on the machine before the clock starts, as a model's does, and the ends of calls are no part
 * of the time.
 */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 60);
/** How long the sessions print before each look. */
const WARM_MS = 500;
/** How long a read may take to get to the machine and wait there. */
const READ_WAITS_MS = 30;
/** Rounds that are not counted. */
const WARM_ROUNDS = 5;

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-bench-terminals-')));
const home = join(folder, 'home');
const { worker, ownerKey } = await startLinkGateway();
const owner = await signInAsOwner(worker.url, ownerKey);
const { secret } = await owner.createToken({ name: 'bench', scopes: ['read', 'write', 'machine'], days: 1 });
await setRates(owner);
const paired = await pairTestMachine(worker, 'bench');
const machine = await openMachine({
  home,
  roots: [{ name: 'bench', path: folder }],
  settings: { terminal: {}, mlx: {} },
});
const door = machineDoor(
  { machine: 'bench', deny: [], ask: [] },
  { askHere: async () => ({ said: 'nobody' }), report: (error) => console.error(error) },
);
const tools = withPreviews(
  paired.id,
  door,
  (preview) => new Map([...machine.tools(door), ...machine.innerTools(door), ...preview]),
);
const link = await connectTestMachine(paired, worker.url, tools, {
  about: { roots: [{ name: 'bench', path: folder }], version: '0.0.0' },
});

type Way = (tool: string, args: object) => Promise<string>;
const bowline: Way = (tool, args) =>
  send(worker.url, {
    path: `/tools/${tool}`,
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(args),
  });
const overLink: Way = (tool, args) =>
  sendCall(worker, paired, tools, tool, args, undefined, (url, body) =>
    send(url, { path: '', headers: {}, body }),
  );
const recorded: Way = (tool, args) =>
  sendCall(worker, paired, tools, tool, args, undefined, (url, body) =>
    send(url.replace('/test-call/', '/recorded-call/'), { path: '', headers: {}, body }),
  );

try {
  await firstOutput();
  await besideSessions();
} finally {
  link.stop();
  await machine.close();
  paired.forget();
  rmSync(folder, { recursive: true, force: true });
  closeConnections();
  await worker.stop();
}

/** Sets rates so high that they stop nothing. */
async function setRates(of: Pick<OwnerSession, 'call'>): Promise<void> {
  const tools = [
    'terminal_start',
    'terminal_send',
    'terminal_read',
    'terminal_stop',
    'terminal_list',
    'list_dir',
  ];
  await of.call('PUT', 'settings/rates', {
    value: Object.fromEntries([...tools, 'hello'].map((tool) => [tool, 100_000])),
  });
}

async function firstOutput(): Promise<void> {
  // It gives back each line; the terminal itself shows what is typed before that.
  const args = { session: 'echo', command: 'cat' };
  await decideUntil(bowline('terminal_start', args), owner, { decision: 'lend' });
  await overLink('terminal_start', args);
  const ways = [bowline, overLink, recorded].map((way) => ({ way, ms: [] as number[] }));
  let typed = 0;
  for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
    for (const { way, ms } of round % 2 === 0 ? ways : ways.toReversed()) {
      const took = await firstOutputBy(way, `word-${++typed}.`);
      if (round >= 0) ms.push(took);
    }
  }
  const [gateway = 0, alone = 0, least = 0] = ways.map(({ ms }) => median(ms));
  console.log(
    `terminal_send to its first output, medians of ${ROUNDS} rounds: Bowline ${gateway.toFixed(1)} ms, the link alone ${alone.toFixed(1)} ms, ${(gateway / alone).toFixed(2)} ×; the link after one row ${least.toFixed(1)} ms, ${(least / alone).toFixed(2)} ×\n`,
  );
  figure('`terminal_send` to its first output', gateway / alone);
  for (const way of [bowline, overLink]) await way('terminal_stop', { session: 'echo' });
}

/** Types a word, and gives the milliseconds until a read that waits for it has its answer. */
async function firstOutputBy(way: Way, word: string): Promise<number> {
  const reader = way === recorded ? overLink : way;
  const about = JSON.parse(await reader('terminal_list', {}));
  const [{ end_offset: offset }] = (about.output?.metadata ?? about.metadata).sessions;
  const printed = reader('terminal_read', { session: 'echo', offset, wait_seconds: 30, until: word });
  await setTimeout(READ_WAITS_MS);
  const began = performance.now();
  const sent = way('terminal_send', { session: 'echo', text: `${word}\n`, program: true });
  await printed;
  const took = performance.now() - began;
  await sent;
  return took;
}

/** A bridge and a gateway as processes of their own, because what is measured is how they share the machine. */
async function besideSessions(): Promise<void> {
  const sides = await startTwoSides('bench');
  await setRates(sides.owner);
  const calls: readonly [tool: string, args: object][] = [
    ['hello', {}],
    ['list_dir', { path: '.' }],
    ['terminal_list', {}],
  ];
  const times = new Map(calls.map(([tool]) => [tool, { alone: [] as number[], beside: [] as number[] }]));
  const names = Array.from({ length: MAX_SESSIONS }, (_, at) => `full-${at + 1}`);
  const made = async (tool: string, args: object) => {
    const answer = await sides.call(tool, args);
    if (answer.code !== undefined) throw new Error(`${tool}: ${answer.code} ${answer.message}`);
  };
  const measure = async (which: 'alone' | 'beside') => {
    for (const [tool, args] of calls) {
      for (let i = 0; i < ROUNDS / 3; i++) {
        const began = performance.now();
        await made(tool, args);
        times.get(tool)?.[which].push(performance.now() - began);
      }
    }
  };
  try {
    for (let round = 0; round < 4; round++) {
      await measure('alone');
      for (const session of names)
        await made('terminal_start', { session, command: 'yes "a line of output"' });
      await setTimeout(WARM_MS);
      await measure('beside');
      for (const session of names) await made('terminal_stop', { session });
    }
  } finally {
    await sides.stop();
  }
  console.log(
    `| call | alone, ms | beside ${MAX_SESSIONS} sessions at full speed, ms | ratio |\n|---|---|---|---|`,
  );
  let worst = 0;
  for (const [tool, { alone, beside }] of times) {
    const [one, other] = [median(alone), median(beside)];
    worst = Math.max(worst, other / one);
    console.log(`| ${tool} | ${one.toFixed(1)} | ${other.toFixed(1)} | ${(other / one).toFixed(2)} × |`);
  }
  figure('a call beside eight terminals at full speed', worst);
}

function median(all: number[]): number {
  return all.sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
}
