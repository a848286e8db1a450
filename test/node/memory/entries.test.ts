import { describe, expect, it } from 'vitest';
import { writeMemoryEntry } from '../../../contracts/memory.ts';

const problemWith = (file: string, entry: unknown) =>
  writeMemoryEntry.input.safeParse({ file, entry }).error?.issues[0]?.message;

const base = { timestamp: '2026-01-09T10:30:00Z', type: 't' };

describe('an entry that would be two lines to somebody', () => {
  it.each(['\n', '\r', '\u2028', '\u2029'])('is refused as text: %j', (lineBreak) => {
    const oneLine = 'an entry is one line; send each line as an entry of its own';
    expect(problemWith('best_practices.md', `a${lineBreak}b`)).toBe(oneLine);
    expect(problemWith('decisions.jsonl', `{"a":1}${lineBreak}`)).toBe(oneLine);
  });

  it.each(['\u2028', '\u2029'])('is refused as an object that JSON would write raw: %j', (lineBreak) => {
    expect(problemWith('decisions.jsonl', { ...base, note: `a${lineBreak}b` })).toContain('one line');
  });

  it('may hold what JSON escapes', () => {
    expect(problemWith('decisions.jsonl', { ...base, note: 'a\nb' })).toBeUndefined();
    expect(problemWith('decisions.jsonl', '{"note":"a\\nb"}')).toBeUndefined();
  });
});

describe('an entry with half of a surrogate pair', () => {
  it.each(['{"a":"\\ud800"}', '{"\\udc00":1}', '{"a":[{"b":"x\\ud83d"}]}'])('is refused: %s', (entry) => {
    expect(problemWith('decisions.jsonl', entry)).toContain('surrogate');
  });

  it('is told from one that only writes about them, and from whole pairs', () => {
    expect(problemWith('decisions.jsonl', '{"a":"\\\\ud800"}')).toBeUndefined();
    expect(problemWith('decisions.jsonl', '{"a":"\\ud83d\\ude00"}')).toBeUndefined();
  });
});
