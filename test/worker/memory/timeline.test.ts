import { describe, expect, it } from 'vitest';
import { append, DECISIONS, entry, inMemory, newMemory, PROGRESS } from './support.ts';

const ENTRIES = 12;

async function filled() {
  const memory = newMemory();
  for (let n = 1; n <= ENTRIES; n++) await append(memory, entry(n, n % 3 === 0 ? DECISIONS : PROGRESS));
  return memory;
}

/** Every page, from the newest entry to the first. */
async function pagesOf(memory: ReturnType<typeof newMemory>, file: string | null, limit: number) {
  const pages: number[][] = [];
  for (let before: number | null = null; ; ) {
    const page = await memory.timeline({ file, before }, limit);
    if ('locked' in page) throw new Error(page.locked);
    pages.push(page.entries.map(({ seq }) => seq));
    if (page.next === null) return pages;
    before = page.next;
  }
}

describe('the timeline', () => {
  it('goes back through the whole log, each entry once', async () => {
    const memory = await filled();
    expect(await pagesOf(memory, null, 5)).toEqual([
      [12, 11, 10, 9, 8],
      [7, 6, 5, 4, 3],
      [2, 1],
    ]);
    expect(await pagesOf(memory, null, ENTRIES)).toHaveLength(1);
    expect(await pagesOf(memory, null, ENTRIES - 1)).toHaveLength(2);
  });

  it('goes back through one file by its lines', async () => {
    expect(await pagesOf(await filled(), DECISIONS, 3)).toEqual([[12, 9, 6], [3]]);
  });

  it('ends a page early when entries are long, but never before one', async () => {
    const memory = newMemory();
    for (let n = 1; n <= 3; n++)
      await append(memory, { file: PROGRESS, idem: `long ${n}`, body: `${n}${'x'.repeat(40_000)}` });
    expect(await pagesOf(memory, null, 25)).toEqual([[3], [2], [1]]);
  });

  it('is empty where nothing was written', async () => {
    expect(await newMemory().timeline({ file: null, before: null }, 5)).toEqual({ entries: [], next: null });
  });
});

describe('the overview', () => {
  it('counts each file and says where the chain ends', async () => {
    const memory = await filled();
    const overview = await memory.overview();
    expect(overview.files.map(({ file, lines }) => [file, lines])).toEqual([
      [PROGRESS, 8],
      [DECISIONS, 4],
      ['best_practices.md', 0],
    ]);
    expect(overview).toMatchObject({ seq: ENTRIES, head: (await memory.state()).head, locked: null });
    expect(overview.files[2]?.at).toBeNull();
  });

  it('reads no more of a long log than of a short one', async () => {
    const memory = await filled();
    const plan = await inMemory(memory, (sql) =>
      sql
        .exec<{ detail: string }>(
          'EXPLAIN QUERY PLAN SELECT * FROM log WHERE file = ? AND line < ? ORDER BY line DESC LIMIT 5',
          PROGRESS,
          9,
        )
        .toArray()
        .map(({ detail }) => detail),
    );
    expect(plan.join()).toMatch(/SEARCH log USING INDEX log_by_line/);
    expect(plan.join()).not.toContain('TEMP B-TREE');
  });
});
