import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { MAX_DEPTH, MAX_VALUES } from '../../../src/core/json.ts';
import { readCallText } from '../../../src/core/prepared-call.ts';
import { prepared } from '../../support/prepared.ts';
import { reading } from '../../support/tools.ts';

const anything = { ...reading, input: z.record(z.string(), z.unknown()) };

/** Arguments that are so many objects deep. */
function nested(depth: number): Record<string, unknown> {
  return depth === 1 ? { end: true } : { in: nested(depth - 1) };
}

describe('the text of a prepared call', () => {
  it.each([
    [MAX_DEPTH - 1, true],
    [MAX_DEPTH, true],
    [MAX_DEPTH + 1, false],
  ])('is read by a machine with arguments %i deep: %s', (depth, isRead) => {
    const { text, digest, params, args } = prepared(anything, nested(depth));
    const told = readCallText(text, digest);
    expect(told !== undefined).toBe(isRead);
    if (isRead) expect(told).toMatchObject({ params, args, tool: 'shelf_read' });
  });

  it('is read by a machine with as many values as the gateway takes', () => {
    const { text, digest } = prepared(anything, { list: Array(MAX_VALUES - 4).fill(0) });
    expect(readCallText(text, digest)).toBeDefined();
  });

  it('is not read under another digest', () => {
    const { text } = prepared(anything, { a: 1 });
    expect(readCallText(text, prepared(anything, { a: 2 }).digest)).toBe(undefined);
  });
});
