import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { Run } from './process-tree.ts';
import { type Follower, follow } from './reaper.ts';

// This process outlives the bridge by a moment. Its standard input is a pipe from the bridge. When that closes, for
// whatever reason, it ends every running command and then itself.

/** A message from the bridge to its warden, one JSON object a line. */
export type Order =
  | { readonly run: string; readonly pid?: number; readonly track?: boolean }
  | { readonly ask: string }
  | { readonly end: string };

/**
 * The time between two looks at runs that can leave their family, those without a namespace. Outside of Linux each
 * look runs `ps`.
 */
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

// Ignore this error: if the bridge is gone, nobody needs the output.
process.stdout.on('error', () => undefined);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

for await (const line of createInterface({ input: process.stdin })) obey(JSON.parse(line) as Order);
clearInterval(tracking);
const endAll = () => Promise.all([...runs.values()].map(({ follower }) => follower.end()));
if (runs.size > 0) {
  await endAll();
  // A command that was just starting when the bridge died shows its mark only once it has started.
  await wait(300);
  await endAll();
}
// Remove the commands' own temporary files, which nobody needs any more.
const [, , temporary] = process.argv;
if (temporary) rmSync(temporary, { recursive: true, force: true });
process.exit(0);
