import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { Run } from './process-tree.ts';
import { type Follower, follow } from './reaper.ts';

// A process beside the bridge that outlives it by a moment: its standard input is a pipe from the bridge,
// and when that closes, for whatever reason, it ends every command that was running, and then itself.

/** What the bridge tells its warden, one JSON object a line. */
export type Order =
  | { readonly run: string; readonly pid?: number; readonly track?: boolean }
  | { readonly ask: string }
  | { readonly end: string };

/** How often runs are looked at that can leave their family: those without a namespace of their own. Elsewhere it takes a `ps`. */
const TRACK_MS = process.platform === 'linux' ? 150 : 500;

const runs = new Map<string, { run: Run; follower: Follower; track: boolean }>();
const never = new Set([process.pid, process.ppid]);

function obey(order: Order): void {
  if ('ask' in order) runs.get(order.ask)?.follower.ask();
  else if ('end' in order) void endRun(order.end);
  else register(order);
}

function register({ run: mark, pid, track }: Extract<Order, { run: string }>): void {
  const entry = runs.get(mark) ?? {
    run: { mark },
    follower: follow(() => runs.get(mark)?.run ?? { mark }, never),
    track: false,
  };
  runs.set(mark, { ...entry, run: { mark, ...(pid ? { pid } : {}) }, track: track ?? entry.track });
}

async function endRun(mark: string): Promise<void> {
  const left = (await runs.get(mark)?.follower.end()) ?? [];
  runs.delete(mark);
  process.stdout.write(`${JSON.stringify({ ended: mark, left })}\n`);
}

const tracking = setInterval(() => {
  for (const { follower, track } of runs.values()) if (track) follower.look();
}, TRACK_MS);
tracking.unref();

// The bridge's end of this pipe may be gone; there is nobody left to tell.
process.stdout.on('error', () => undefined);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

for await (const line of createInterface({ input: process.stdin })) obey(JSON.parse(line) as Order);
clearInterval(tracking);
const endAll = () => Promise.all([...runs.values()].map(({ follower }) => follower.end()));
if (runs.size > 0) {
  await endAll();
  // One that was being started when the bridge died shows its mark only once it has started.
  await wait(300);
  await endAll();
}
// The commands' own temporary files, which nobody is left to use.
const [, , temporary] = process.argv;
if (temporary) rmSync(temporary, { recursive: true, force: true });
process.exit(0);
