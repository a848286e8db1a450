import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { MemoryLog } from '../../../src/memory/memory-object.ts';
import { append, DECISIONS, entry, newMemory, PROGRESS, wholeLog } from './support.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('writers at once', () => {
  it('get numbers without gaps or doubles, per file and over the whole log', async () => {
    const memory = newMemory();
    const files = [PROGRESS, DECISIONS, 'best_practices.md'];
    const asked = Array.from({ length: 200 }, (_, n) => entry(n, files[n % 3]));
    const answers = await Promise.all(asked.map((one) => append(memory, one)));
    const seqs = answers.map(({ entry: { seq } }) => seq);
    expect(seqs.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    for (const file of files) {
      const lines = answers.filter((_, n) => asked[n]?.file === file).map(({ entry: { line } }) => line);
      expect(lines.toSorted((a, b) => a - b)).toEqual(lines.map((_, i) => i + 1));
    }
    const log = await wholeLog(memory);
    expect(log).toHaveLength(200);
    answers.forEach(({ entry: { seq, line } }, n) => {
      expect(log[seq - 1]).toMatchObject({ ...asked[n], seq, line });
    });
  });

  it('with the same thing to say write it once, and all hear the same line', async () => {
    const memory = newMemory();
    const answers = await Promise.all(Array.from({ length: 50 }, () => append(memory, entry(1))));
    expect(new Set(answers.map(({ entry: { seq, line, at } }) => `${seq} ${line} ${at}`)).size).toBe(1);
    expect(answers.filter(({ entry: { replayed } }) => !replayed)).toHaveLength(1);
    expect(await wholeLog(memory)).toHaveLength(1);
  });
});

describe('writers at once of whom one cannot be served', () => {
  it('fail alone, and leave no gap behind', async () => {
    const memory = newMemory();
    const asked = Array.from({ length: 60 }, (_, n) => entry(n));
    const answers = await runInDurableObject(memory, (object: MemoryLog) =>
      Promise.allSettled(
        asked.map((one, n) => object.append(n % 7 === 3 ? { ...one, body: null as unknown as string } : one)),
      ),
    );
    const refused = answers.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []));
    expect(refused).toEqual([3, 10, 17, 24, 31, 38, 45, 52, 59]);
    expect(await wholeLog(memory)).toHaveLength(51);
    expect((await append(memory, entry(3))).entry).toMatchObject({ seq: 52, line: 52, replayed: false });
  });
});

describe('the same entry again', () => {
  it('is found, also after eviction and behind others, with the time it was written', async () => {
    const memory = newMemory();
    const { entry: first } = await append(memory, entry(1));
    await append(memory, entry(2));
    await evictDurableObject(memory);
    expect((await append(memory, entry(1))).entry).toEqual({ ...first, replayed: true });
    expect(await memory.state()).toMatchObject({ seq: 2 });
  });

  it('asks for no checkpoint', async () => {
    const memory = newMemory();
    expect((await append(memory, entry(1))).due).not.toBeNull();
    expect((await append(memory, entry(1))).due).toBeNull();
  });
});

describe('several at once', () => {
  it('are written in order, each once, and want their checkpoint', async () => {
    const memory = newMemory();
    await append(memory, entry(3));
    const batch = [entry(5), entry(3), entry(1), entry(5)];
    expect(await memory.appendAll(batch)).toMatchObject({
      appended: 2,
      replayed: 2,
      due: { seq: 3 },
    });
    expect((await wholeLog(memory)).map(({ body }) => body)).toEqual(['{"n":3}', '{"n":5}', '{"n":1}']);
    expect(await memory.appendAll(batch)).toMatchObject({ appended: 0, replayed: 4, due: null });
  });

  it('are written all or not at all', async () => {
    const memory = newMemory();
    const bad = { ...entry(2), body: null as unknown as string };
    await expect(Promise.resolve(memory.appendAll([entry(1), bad]))).rejects.toThrow();
    expect(await memory.state()).toMatchObject({ seq: 0 });
    expect((await append(memory, entry(1))).entry).toMatchObject({ seq: 1, line: 1, replayed: false });
  });
});

describe('a checkpoint', () => {
  const sign = (due: { seq: number; head: string; at: number } | null) => {
    if (!due) throw new Error('none is due');
    return { ...due, signature: 'signed' };
  };

  it('is due at the first entry and at every hundredth after it, not before', async () => {
    const memory = newMemory();
    const { due } = await append(memory, entry(1));
    expect(due).toMatchObject({ seq: 1, head: (await memory.state()).head });
    await memory.checkpoint(sign(due));
    for (let n = 2; n <= 100; n++) expect((await append(memory, entry(n))).due).toBeNull();
    const { due: second } = await append(memory, entry(101));
    expect(second).toMatchObject({ seq: 101, head: (await memory.state()).head });
    // Until one is kept, each entry asks again.
    const { due: third } = await append(memory, entry(102));
    expect(third).toMatchObject({ seq: 102 });
    await memory.checkpoint(sign(third));
    expect((await append(memory, entry(103))).due).toBeNull();
  });

  it('is due after an hour, not a millisecond before', async () => {
    const memory = newMemory();
    vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 });
    await memory.checkpoint(sign((await append(memory, entry(1))).due));
    vi.setSystemTime(1_800_003_599_999);
    expect((await append(memory, entry(2))).due).toBeNull();
    vi.setSystemTime(1_800_003_600_000);
    expect((await append(memory, entry(3))).due).toMatchObject({ seq: 3, at: 1_800_003_600_000 });
  });

  it('that comes late does not replace a later one', async () => {
    const memory = newMemory();
    const { due: early } = await append(memory, entry(1));
    const { due: late } = await append(memory, entry(2));
    await memory.checkpoint(sign(late));
    await memory.checkpoint(sign(early));
    await memory.checkpoint(sign(late));
    expect(await memory.checkpoints()).toEqual([sign(late)]);
    expect(await memory.state()).toMatchObject({ checkpoint: 2 });
  });
});

describe('reading', () => {
  it('gives the last lines of one file, oldest first', async () => {
    const memory = newMemory();
    for (let n = 1; n <= 6; n++) await append(memory, entry(n, n % 2 ? PROGRESS : DECISIONS));
    const lines = async (count: number) => {
      const entries = await memory.lastLines(PROGRESS, count);
      if ('locked' in entries) throw new Error(entries.locked);
      return entries.map(({ line, body }) => `${line} ${body}`);
    };
    expect(await lines(2)).toEqual(['2 {"n":3}', '3 {"n":5}']);
    expect(await lines(10)).toEqual(['1 {"n":1}', '2 {"n":3}', '3 {"n":5}']);
    expect(await memory.lastLines('best_practices.md', 10)).toEqual([]);
  });

  it('gives a file as its lines, counted in bytes, and no content once it is over the limit', async () => {
    const memory = newMemory();
    expect(await memory.read(PROGRESS, 100)).toBeNull();
    vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 });
    await append(memory, { file: PROGRESS, body: 'é😀', idem: 'a' });
    vi.setSystemTime(1_800_000_000_500);
    await append(memory, { file: PROGRESS, body: 'b', idem: 'b' });
    const whole = { size: 9, modified: 1_800_000_000_500, content: 'é😀\nb\n' };
    expect(await memory.read(PROGRESS, 9)).toEqual(whole);
    expect(await memory.read(PROGRESS, 8)).toEqual({ ...whole, content: null });
  });

  it('exports in pages of any size, each entry in exactly one', async () => {
    const memory = newMemory();
    await memory.appendAll(Array.from({ length: 40 }, (_, n) => entry(n)));
    for (const chars of [1, 700, 5_000, 1_000_000]) expect(await wholeLog(memory, chars)).toHaveLength(40);
    const { head, seq } = await memory.state();
    const beyond = await memory.export(40, 1_000);
    expect(beyond).toEqual({ entries: [], head: { seq, hash: head }, locked: null });
  });
});
