import * as z from 'zod';
import type { ChainEntry, Checkpoint } from '../../src/core/chain.ts';
import type { OwnerSession } from '../owner-client.ts';

const entryShape = z.object({
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
const checkpointsShape = z.object({
  checkpoints: z.array(
    z.object({ seq: z.number(), head: z.string(), at: z.number(), signature: z.string() }),
  ),
  key: z.string().nullable(),
});

/** The whole log, page by page, as the gateway keeps it. */
export async function* exportedEntries(owner: OwnerSession): AsyncGenerator<ChainEntry> {
  for (let after = 0; ; ) {
    const { entries } = pageShape.parse(await owner.call('GET', `memory/export?after=${after}`));
    yield* entries;
    const last = entries.at(-1);
    if (!last) return;
    after = last.seq;
  }
}

/** What stands in the way of the gateway serving its memory, if anything does. */
export async function lockOf(owner: OwnerSession): Promise<string | null> {
  return pageShape.parse(await owner.call('GET', `memory/export?after=${Number.MAX_SAFE_INTEGER}`)).locked;
}

/** The signed checkpoints, and the key they claim to verify with. */
export async function exportedCheckpoints(
  owner: OwnerSession,
): Promise<{ checkpoints: Checkpoint[]; key: string | null }> {
  return checkpointsShape.parse(await owner.call('GET', 'memory/checkpoints'));
}
