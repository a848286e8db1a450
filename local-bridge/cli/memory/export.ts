import { createReadStream } from 'node:fs';
import * as z from 'zod';
import type { ChainEntry, Checkpoint } from '../../../src/core/chain.ts';
import type { OwnerSession } from '../../lib/owner-client.ts';
import { NoEntry } from './verify.ts';

const entryShape = z.strictObject({
  seq: z.number(),
  file: z.string(),
  line: z.number(),
  idem: z.string(),
  body: z.string(),
  at: z.number(),
  prev: z.string(),
  hash: z.string(),
});
const pageShape = z.object({
  entries: z.array(entryShape),
  head: z.object({ seq: z.number(), hash: z.string() }),
  locked: z.string().nullable(),
});
/** The signed checkpoints, and the key that they claim to verify with. */
export const checkpointsShape = z.object({
  checkpoints: z.array(
    z.object({ seq: z.number(), head: z.string(), at: z.number(), signature: z.string() }),
  ),
  key: z.string().nullable(),
});

/** Reads the whole log page by page, as the gateway stores it. */
export async function* exportedEntries(owner: OwnerSession): AsyncGenerator<ChainEntry> {
  for (let after = 0; ; ) {
    const { entries } = pageShape.parse(await owner.call('GET', `memory/export?after=${after}`));
    yield* entries;
    const last = entries.at(-1);
    if (!last) return;
    after = last.seq;
  }
}

/** Gives the reason why the gateway does not serve its memory; `null` if it does. */
export async function lockOf(owner: OwnerSession): Promise<string | null> {
  return pageShape.parse(await owner.call('GET', `memory/export?after=${Number.MAX_SAFE_INTEGER}`)).locked;
}

/** Fetches the signed checkpoints, and the key that they claim to verify with. */
export async function exportedCheckpoints(
  owner: OwnerSession,
): Promise<{ checkpoints: Checkpoint[]; key: string | null }> {
  return checkpointsShape.parse(await owner.call('GET', 'memory/checkpoints'));
}

/** Writes an entry as a line of an exported log. */
export function exportedLine(entry: ChainEntry): string {
  return `${JSON.stringify(entryShape.parse(entry))}\n`;
}

/** Reads the entries of an exported log of any length. It refuses lines that no export would have written. */
export async function* entriesIn(path: string): AsyncGenerator<ChainEntry> {
  // Keep a byte order mark, because it is a change like any other.
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let rest = '';
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const lines = (rest + decoded(utf8, chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield entryIn(line);
  }
  if (rest + decoded(utf8) !== '') throw new NoEntry('its line was cut off');
}

function decoded(utf8: TextDecoder, chunk?: Uint8Array): string {
  try {
    return utf8.decode(chunk, { stream: chunk !== undefined });
  } catch {
    throw new NoEntry('what follows is not UTF-8');
  }
}

function entryIn(line: string): ChainEntry {
  let entry: ChainEntry;
  try {
    entry = entryShape.parse(JSON.parse(line));
  } catch {
    throw new NoEntry(`its line is not an entry: ${line.slice(0, 60)}`);
  }
  // Another spelling of the same value could mean something else to another reader.
  if (exportedLine(entry) !== `${line}\n`) throw new NoEntry('its line is not as it was exported');
  return entry;
}
