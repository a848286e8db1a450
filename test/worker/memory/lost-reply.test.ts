import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { Appended, NewEntry } from '../../../src/memory/log.ts';
import { ASKED, AT_LENGTH } from '../../support/at-length.ts';
import { append, DECISIONS, entry, PROGRESS, randomOf, wholeLog } from './support.ts';

// More of it: `VITE_MEMORY_APPENDS=100000 VITE_MEMORY_SEED=7 npx vitest run --project worker lost-reply`.
const APPENDS = Number(ASKED.VITE_MEMORY_APPENDS ?? (AT_LENGTH ? 10_000 : 1_000));
const SEED = Number(ASKED.VITE_MEMORY_SEED ?? 20_260_109);
const FILES = [PROGRESS, DECISIONS, 'best_practices.md'];

const memory = () => env.MEMORY.get(env.MEMORY.idFromName('lost replies'));
const random = randomOf(SEED);
const counts = { evicted: 0, aborted: 0, unanswered: 0, wereWritten: 0, forgotten: 0 };

/** Appends until somebody answers, as a client does whose calls can fail. */
async function insist(what: NewEntry, call = () => append(memory(), what)): Promise<Appended> {
  let tried = 0;
  for (;;) {
    try {
      const { entry: answer } = await (tried > 0 ? append(memory(), what) : call());
      if (tried > 0 && answer.replayed) counts.wereWritten++;
      return answer;
    } catch (error) {
      // The object went away with the call, before or after it wrote: which, only it knows.
      counts.unanswered++;
      tried += 1;
      if (tried > 100) throw error;
    }
  }
}

/** A call whose object goes away under it: before its write is on disk, or with the answer on its way. */
async function interrupted(what: NewEntry, isOnDisk: boolean): Promise<never> {
  counts.aborted++;
  await runInDurableObject(memory(), async (object, state) => {
    await object.append(what);
    if (isOnDisk) await state.storage.sync();
    state.abort();
  });
  throw new Error('the object answers no more');
}

/** Some entries at once, of which one or none is interrupted; then the object sleeps, or does not. */
async function burst(entries: readonly NewEntry[], acknowledged: Map<string, Appended>): Promise<void> {
  const fate = random();
  const victim = Math.floor(random() * entries.length);
  const answers = entries.map((what, n) =>
    n === victim && fate < 0.2 ? insist(what, () => interrupted(what, fate < 0.1)) : insist(what),
  );
  if (fate > 0.9) {
    counts.aborted++;
    await Promise.race(answers);
    await abortAllDurableObjects();
  }
  for (const [n, answer] of (await Promise.all(answers)).entries()) {
    const what = entries[n] as NewEntry;
    acknowledged.set(what.idem, answer);
    // Some answers are heard by nobody, and whoever waited asks again.
    if (random() < 0.1) {
      counts.forgotten++;
      expect(await insist(what)).toEqual({ ...answer, replayed: true });
    }
  }
  if (random() < 0.2) {
    counts.evicted++;
    await evictDurableObject(memory());
  }
}

describe(`${APPENDS} appends while the object keeps going away`, () => {
  it('lose nothing that was acknowledged and write nothing twice', { timeout: 600_000 }, async () => {
    const acknowledged = new Map<string, Appended>();
    for (let from = 0; from < APPENDS; ) {
      const size = Math.min(1 + Math.floor(random() * 63), APPENDS - from);
      const start = from;
      const entries = Array.from({ length: size }, (_, i) => entry(start + i, FILES[(start + i) % 3]));
      await burst(entries, acknowledged);
      from += size;
    }
    console.log(`seed ${SEED}, ${APPENDS} appends: ${JSON.stringify(counts)}`);

    const log = await wholeLog(memory());
    expect(log.length).toBe(APPENDS);
    expect(acknowledged.size).toBe(APPENDS);
    for (const { idem, seq, line, at } of log) {
      expect(acknowledged.get(idem)).toMatchObject({ seq, line, at });
    }
    // Otherwise the object never really went away under a call.
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
  });
});
