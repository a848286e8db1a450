import { rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { jsonOrNothing, readIfThere, writePrivate } from '../../lib/private-file.ts';
import { isAlive } from '../../lib/processes.ts';

const shape = z.object({
  pid: z.int(),
  gateway: z.string(),
  machine: z.string(),
  state: z.string(),
  /** The time when it came into that state, in milliseconds. */
  since: z.number(),
  version: z.string(),
  roots: z.array(z.object({ name: z.string(), path: z.string() })),
  /** Set if the bridge touches the file as long as it lives. Older ones did not. */
  beats: z.boolean().optional(),
});

/** How often a bridge touches the file, and after how long it counts as frozen. */
const BEAT_MS = 15_000;
export const FROZEN_MS = 4 * BEAT_MS;

/** The status of a home's bridge, for programs on this machine. */
type BridgeStatus = z.infer<typeof shape>;

export function writeStatus(home: string, status: BridgeStatus): void {
  writePrivate(fileIn(home), `${JSON.stringify(status, null, 2)}\n`);
}

/** Touches the file again and again, so that others can tell a bridge that works from one that hangs. */
export function keepBeating(home: string): { stop(): void } {
  const beat = () => {
    const now = new Date();
    try {
      utimesSync(fileIn(home), now, now);
    } catch {
      // It is not there before the first state, or on a full disk.
    }
  };
  const timer = setInterval(beat, BEAT_MS).unref();
  return { stop: () => clearInterval(timer) };
}

/** Reads what the running bridge last wrote. Ignores what a dead one left. One that hangs is `frozen`. */
export function readStatus(home: string, now = Date.now()): BridgeStatus | undefined {
  const parsed = shape.safeParse(jsonOrNothing(readIfThere(fileIn(home)) ?? ''));
  if (!parsed.success || !isAlive(parsed.data.pid)) return undefined;
  const last = statSync(fileIn(home), { throwIfNoEntry: false })?.mtimeMs ?? now;
  if (parsed.data.beats !== true || now - last <= FROZEN_MS) return parsed.data;
  return { ...parsed.data, state: 'frozen', since: last };
}

export function clearStatus(home: string): void {
  rmSync(fileIn(home), { force: true });
}

function fileIn(home: string): string {
  return join(home, 'bridge-status.json');
}
