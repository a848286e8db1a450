import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Desk } from '../../support/gate-tools.ts';
import { openRig } from './rig.ts';
import { sendBy } from './ways.ts';

// Reading and writing costs a call its time, and each further reading is a chance to understand it otherwise.

const IN = 'what-the-caller-wrote';
const OUT = 'what-the-tool-answered';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Counts how often JSON with a word in it is read and written. */
function countWork() {
  const parse = vi.spyOn(JSON, 'parse');
  const stringify = vi.spyOn(JSON, 'stringify');
  return () => ({
    // The one form writes each string of a value by itself.
    canonical: stringify.mock.calls.filter(([value]) => value === IN).length,
    parsed: parse.mock.calls.filter(([text]) => String(text).includes(IN)).length,
    written: stringify.mock.calls.filter(([value]) => holds(value, OUT)).length,
  });
}

/** Tells whether an output is in a value. A text of JSON that holds one is only put into quotation marks. */
function holds(value: unknown, word: string): boolean {
  if (typeof value === 'string') return value === word;
  return typeof value === 'object' && value !== null && Object.values(value).some((one) => holds(one, word));
}

const desk = (): Desk => ({ runs: [], act: (_, call) => call.ok({ text: OUT }) });

const quiet = { isQuiet: true, caller: { maxResultChars: 150_000 } } as const;

describe.each([
  ['rest', {}, 2],
  ['mute', quiet, 2],
  ['old', quiet, 2],
  ['mute', {}, 2],
  ['old', {}, 2],
] as const)('a call by way of %s with %j', (way, more, mostWritten) => {
  it('is parsed and brought into its one form at most twice', async () => {
    const rig = openRig({ desk: desk() });
    const counted = countWork();
    const answer = await sendBy(way, rig, { tool: 'desk_keep', args: { path: 'a', content: IN }, ...more });
    const { canonical, parsed, written } = counted();
    expect(answer).toMatchObject({ kind: 'ok', text: OUT });
    expect(canonical).toBeGreaterThan(0);
    expect(canonical).toBeLessThanOrEqual(2);
    expect(parsed).toBeGreaterThan(0);
    expect(parsed).toBeLessThanOrEqual(2);
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThanOrEqual(mostWritten);
  });

  it('that waits for a yes is not read anew when the yes is there', async () => {
    const rig = openRig({ desk: desk() });
    const counted = countWork();
    const answering = sendBy(way, rig, { tool: 'desk_write', args: { path: 'a', content: IN }, ...more });
    const { code } = await rig.announced.nth(1);
    await rig.decide(code);
    expect(await answering).toMatchObject({ kind: 'ok', text: OUT });
    const { canonical, parsed } = counted();
    expect([canonical, parsed]).toEqual([
      expect.toSatisfy((n: number) => n <= 2),
      expect.toSatisfy((n) => n <= 2),
    ]);
  });
});
