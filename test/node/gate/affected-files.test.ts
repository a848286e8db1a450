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

  it('are named without secrets', () => {
    const key = `ghp_${'a1B2'.repeat(9)}`;
    expect(kept(['a.txt', `keys/${key}`])).toEqual(['a.txt', expect.not.stringContaining(key)]);
  });

  const many = (count: number) => Array.from({ length: count }, (_, at) => `f${at}`);
  it.each([
    [199, 199],
    [200, 200],
    [201, 201],
  ])('are at most 200, and a word about the rest: %d', (count, lines) => {
    const files = kept(many(count));
    expect(files).toHaveLength(lines);
    expect(files.at(-1)).toBe(count > 200 ? '… and 1 more' : `f${count - 1}`);
  });

  it('are at most 4,000 characters, but never none', () => {
    const long = kept(many(100).map((name) => name + 'x'.repeat(100)));
    expect(JSON.stringify(long).length).toBeLessThan(4_100);
    expect(long.at(-1)).toMatch(/^… and \d+ more$/);
    expect(kept(['x'.repeat(5_000)])).toHaveLength(1);
  });
});
