import { rmSync } from 'node:fs';
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
});

/** The status of a home's bridge, for programs on this machine. */
type BridgeStatus = z.infer<typeof shape>;

export function writeStatus(home: string, status: BridgeStatus): void {
  writePrivate(fileIn(home), `${JSON.stringify(status, null, 2)}\n`);
}

/** Reads what the running bridge last wrote. Ignores what a dead one left. */
export function readStatus(home: string): BridgeStatus | undefined {
  const parsed = shape.safeParse(jsonOrNothing(readIfThere(fileIn(home)) ?? ''));
  return parsed.success && isAlive(parsed.data.pid) ? parsed.data : undefined;
}

export function clearStatus(home: string): void {
  rmSync(fileIn(home), { force: true });
}

function fileIn(home: string): string {
  return join(home, 'bridge-status.json');
}
