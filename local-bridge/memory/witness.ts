import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { CliError } from '../exit.ts';
import { bowlineHome } from '../home.ts';
import type { Witness } from './verify.ts';

const shape = z.record(
  z.string(),
  z.object({ seq: z.int(), head: z.string(), key: z.string().nullable(), signed: z.int().default(0) }),
);

/** What this computer last saw of a gateway's memory: a storage account can be rewound, this file is not in it. */
export function witnessOf(url: string): Witness | undefined {
  return read()[url];
}

/** The same of whichever gateway signs with a key, for a log that has left its gateway. */
export function witnessByKey(key: string | null): Witness | undefined {
  return key === null ? undefined : Object.values(read()).find((witness) => witness.key === key);
}

export function keepWitness(url: string, seen: Witness): void {
  mkdirSync(bowlineHome(), { recursive: true, mode: 0o700 });
  const temporary = `${path()}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify({ ...read(), [url]: seen }, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, path());
}

function path(): string {
  return join(bowlineHome(), 'memory-witness.json');
}

function read(): Record<string, Witness> {
  let text: string;
  try {
    text = readFileSync(path(), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    throw new CliError(
      `${path()} is damaged.`,
      'Move it away; the next `memory verify` makes a new one, and knows no earlier head.',
    );
  }
}
