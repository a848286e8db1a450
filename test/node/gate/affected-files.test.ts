import { describe, expect, it } from 'vitest';
import { affectedFiles } from '../../../src/gate/affected-files.ts';

const kept = (files: unknown) => {
  const text = affectedFiles({ files_affected: files });
  return text === undefined ? undefined : JSON.parse(text);
};

describe('the files of a call that the ledger keeps', () => {
  it.each([
    [{}],
    [null],
    ['text'],
    [{ files_affected: [] }],
    [{ files_affected: 'a' }],
    [{ files_affected: [1] }],
  ])('are none for %j', (output) => {
    expect(affectedFiles(output)).toBeUndefined();
  });

  const many = (count: number) => Array.from({ length: count }, (_, at) => `f${at}`);

  it('are named without secrets', () => {
    const key = `ghp_${'a1B2'.repeat(9)}`;
    expect(kept(['a.txt', `keys/${key}`]).files).toEqual(['a.txt', expect.not.stringContaining(key)]);
  });

  it.each([
    [199, 199],
    [200, 200],
    [201, 200],
  ])('are the first 200, and how many there are: %d', (count, listed) => {
    const { files, filesTotal } = kept(many(count));
    expect([files.length, filesTotal]).toEqual([listed, count]);
    expect(files.at(-1)).toBe(`f${listed - 1}`);
  });

  it('are at most 4,000 characters, but never none', () => {
    const { files, filesTotal } = kept(many(100).map((name) => name + 'x'.repeat(100)));
    expect(JSON.stringify(files).length).toBeLessThanOrEqual(4_000);
    expect(files.length).toBeGreaterThan(10);
    expect(filesTotal).toBe(100);
    expect(kept(['x'.repeat(5_000)]).files).toHaveLength(1);
  });
});
