import { describe, expect, it } from 'vitest';
import type { AnyContract } from '../../../contracts/contract.ts';
import { writeMemoryEntry } from '../../../contracts/memory.ts';
import { invalidInput } from '../../../src/core/invalid-input.ts';

const problemWith = (file: string, entry: unknown) =>
  writeMemoryEntry.input.safeParse({ file, entry }).error?.issues[0]?.message;

const base = { timestamp: '2026-01-09T10:30:00Z', type: 't' };

describe('an entry that would be two lines to somebody', () => {
  it.each(['\n', '\r', '\u2028', '\u2029'])('is refused as text: %j', (lineBreak) => {
    const oneLine = 'an entry of this file is one line; send each line as an entry of its own';
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

describe('an entry of Markdown', () => {
  it('may have lines, paragraphs and code blocks, and not white space alone', () => {
    const markdown = '## Measure first\n\nThen:\n\n```sh\nnpm run bench\n```\r\n\u2028end';
    expect(problemWith('best_practices.md', markdown)).toBeUndefined();
    for (const nothing of ['\n', ' \n\t\n', '\u2028'])
      expect(problemWith('best_practices.md', nothing)).toContain('white space');
  });
});

describe('an object without what it needs', () => {
  const saying = (entry: unknown) => {
    const { error } = writeMemoryEntry.input.safeParse(
      { file: 'decisions.jsonl', entry },
      { reportInput: true },
    );
    return error && invalidInput(writeMemoryEntry as unknown as AnyContract, error).message;
  };

  it('is refused by the name of what is missing or wrong', () => {
    const { timestamp, type } = base;
    expect(saying({ timestamp })).toBe('`entry.type` is required.');
    expect(saying({ type })).toBe('`entry.timestamp` is required.');
    expect(saying({ timestamp: '9 January', type })).toBe('`entry.timestamp` must be a valid datetime.');
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
