import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { CliError } from '../../lib/exit.ts';
import { bowlineHome } from '../../lib/home.ts';
import type { Witness } from './verify.ts';

const shape = z.record(
  z.string(),
  z.object({ seq: z.int(), head: z.string(), key: z.string().nullable(), signed: z.int().default(0) }),
);

const MEMORY = 'memory-witness.json';
/** The file with what was seen of a ledger's archive, by the number of its pieces. */
export const LEDGER = 'ledger-witness.json';

/**
 * Gives what this computer last saw of a gateway's log. Somebody who restores an old copy of the gateway's storage
 * cannot restore this file with it.
 */
export function witnessOf(url: string, file = MEMORY): Witness | undefined {
  return read(file)[url];
}

/** Gives the same by the gateway's key, for a log that has left its gateway. */
export function witnessByKey(key: string | null): Witness | undefined {
  return key === null ? undefined : Object.values(read(MEMORY)).find((witness) => witness.key === key);
}

export function keepWitness(url: string, seen: Witness, file = MEMORY): void {
  mkdirSync(bowlineHome(), { recursive: true, mode: 0o700 });
  const temporary = `${pathOf(file)}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify({ ...read(file), [url]: seen }, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, pathOf(file));
}

function pathOf(file: string): string {
  return join(bowlineHome(), file);
}

function read(file: string): Record<string, Witness> {
  let text: string;
  try {
    text = readFileSync(pathOf(file), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    throw new CliError(
      `${pathOf(file)} is damaged.`,
      'Move it away. The next `verify` makes a new one, but knows nothing of earlier.',
    );
  }
}
