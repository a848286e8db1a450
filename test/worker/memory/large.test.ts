import { describe, expect, it } from 'vitest';
import { readFile, readLines } from '../../../src/memory/file-lines.ts';
import { searchLog } from '../../../src/memory/search.ts';
import { AT_LENGTH } from '../../support/at-length.ts';
import { failureIn } from '../../support/tools.ts';
import { countingRows } from '../count-rows.ts';
import { entry, inMemory, newMemory, PROGRESS } from './support.ts';
import { memoryTools, outputOf } from './tools.ts';

const MANY = AT_LENGTH ? 100_000 : 20_000;
const FITS = { from: -20, to: Number.MAX_SAFE_INTEGER };

/** Appends lines that all have one word, and only the first another. */
async function filled(lines: number) {
  const memory = newMemory();
  for (let n = 0; n < lines; n += 1_000) {
    await memory.appendAll(
      Array.from({ length: Math.min(1_000, lines - n) }, (_, i) => ({
        ...entry(n + i),
        body: `{"n":${n + i},"note":"common words ${n + i === 0 ? 'rareword' : ''}${'.'.repeat(60)}"}`,
      })),
    );
  }
  return memory;
}

async function looks(lines: number) {
  return inMemory(await filled(lines), (sql) => {
    const rowsOf = (act: (counted: ReturnType<typeof countingRows>) => unknown) => {
      const counted = countingRows(sql);
      act(counted);
      return counted.read();
    };
    const search = (word: string) =>
      rowsOf((counted) => searchLog(counted, { all: `"${word}"`, some: `"${word}"` }, 20));
    // The first look adds the file up, and keeps the sum.
    readFile(sql, PROGRESS, 10);
    return {
      common: search('common'),
      rare: search('rareword'),
      size: rowsOf((counted) => readFile(counted, PROGRESS, 10)),
      end: rowsOf((counted) => readLines(counted, PROGRESS, FITS, 1_000_000)),
      middle: rowsOf((counted) => readLines(counted, PROGRESS, { from: 500, to: 520 }, 1_000_000)),
    };
  });
}

describe('a memory of many lines', () => {
  it('is searched and read at the price of a small one', async () => {
    const [small, large] = [await looks(1_000), await looks(MANY)];
    for (const look of ['common', 'rare', 'size', 'end', 'middle'] as const) {
      expect(large[look], look).toBeLessThanOrEqual(3 * small[look]);
    }
    expect(large.size).toBeLessThan(5);
    expect(large.end).toBeLessThan(30);
  });

  it('knows its size whatever was appended since it was kept', () =>
    inMemory(newMemory(), (sql) => {
      let at = 0;
      const append = (count: number) => {
        for (let i = 0; i < count; i++) {
          const { seq, hash } = sql
            .exec<{ seq: number; hash: string }>(
              `SELECT coalesce(max(seq), 0) AS seq, coalesce((SELECT hash FROM log ORDER BY seq DESC LIMIT 1), '${'0'.repeat(64)}') AS hash FROM log`,
            )
            .one();
          at += 1;
          const body = 'é'.repeat(at % 7);
          sql.exec(
            'INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
            seq + 1,
            PROGRESS,
            at,
            `${at}`,
            body,
            at,
            hash,
            `${at}`,
          );
        }
      };
      for (const count of [1, 50, 200, 3, 150, 99, 101]) {
        append(count);
        const { size } = sql
          .exec<{ size: number }>('SELECT sum(octet_length(body) + 1) AS size FROM log')
          .one();
        expect(readFile(sql, PROGRESS, 0)).toEqual({ size, modified: at, content: null });
        expect(readFile(sql, PROGRESS, 0)?.size).toBe(size);
      }
    }));
});

describe('a range of lines', () => {
  it('of a file of the memory is read from either end, also of one over 1 MB', async () => {
    const tools = memoryTools();
    const body = (n: number) => `{"n":${n},"pad":"${'x'.repeat(8_000)}"}`;
    await tools.memory.appendAll(Array.from({ length: 200 }, (_, n) => ({ ...entry(n), body: body(n) })));
    const path = `.claude/memory/${PROGRESS}`;
    expect(failureIn(await tools.read(path))).toMatchObject({
      code: 'file_too_large',
      suggestion: expect.stringContaining('`start_line`'),
    });
    const read = async (range: object) => outputOf(await tools.read(path, range));
    const { size } = await read({ start_line: 1, end_line: 1 });
    expect(await read({ start_line: -2 })).toMatchObject({
      content: `${body(198)}\n${body(199)}\n`,
      size,
      lines: { first: 199, last: 200, total: 200 },
    });
    expect(await read({ start_line: 3, end_line: 3 })).toMatchObject({ content: `${body(2)}\n` });
    expect(await read({ end_line: 2 })).toMatchObject({ lines: { first: 1, last: 2, total: 200 } });
    expect(await read({ start_line: 199, end_line: 900 })).toMatchObject({
      lines: { first: 199, last: 200 },
    });
    expect(await read({ start_line: -900, end_line: 1 })).toMatchObject({ lines: { first: 1, last: 1 } });
    // What does not fit ends early and says so.
    expect(await read({ start_line: 1 })).toMatchObject({ lines: { first: 1, last: 130, total: 200 } });
    for (const range of [
      { start_line: 201 },
      { start_line: 0 },
      { start_line: 5, end_line: 4 },
      { start_line: -3, end_line: 1 },
      { end_line: 0 },
    ])
      expect(failureIn(await tools.read(path, range)), JSON.stringify(range)).toMatchObject({
        code: 'invalid_line_range',
        http_status: 400,
      });
    expect(failureIn(await tools.read(path, { start_line: 1, encoding: 'base64' })).code).toBe(
      'invalid_input',
    );
  });
});
