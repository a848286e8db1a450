import { describe, expect, it } from 'vitest';
import { KEPT_BYTES } from '../../../local-bridge/tools/terminal/capture.ts';
import { AT_LENGTH } from '../../support/at-length.ts';
import { envelopeIn, openRig, printedIn } from './rig.ts';

/** Far more than may be held of it. */
const FLOOD = AT_LENGTH ? 200_000_000 : 100_000_000;

describe('a command that floods', () => {
  it('costs little memory, and its head and tail come back', async () => {
    const { run } = await openRig();
    const flood = (bytes: number) =>
      run({
        command: `echo first; head -c ${bytes} /dev/zero | tr '\\0' 'x' | fold -w 100; echo; echo last`,
        timeout_seconds: 300,
      });
    // What the first flood takes, whatever its length, is no part of what the second one costs.
    await flood(20_000_000);
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 5);
    const answer = envelopeIn(await flood(FLOOD));
    clearInterval(watch);
    expect(answer.metadata).toMatchObject({ truncated: true, exit_code: 0, stdout_lines: FLOOD / 100 + 2 });
    expect(answer.output).toMatch(/^Command output:\nfirst\nxxx/);
    expect(answer.output).toMatch(/x{100}\nlast\n$/);
    const missing = /\[… ([\d,]+) bytes or more left out here …\]/
      .exec(answer.output)?.[1]
      ?.replaceAll(',', '');
    // Each hundred bytes have a line's end besides.
    expect(Number(missing) / (1.01 * FLOOD - KEPT_BYTES)).toBeCloseTo(1, 3);
    expect((peak - before) / 1_048_576).toBeLessThan(64);
  });

  it.each([
    ['below', KEPT_BYTES - 1, false],
    ['at', KEPT_BYTES, false],
    ['above', KEPT_BYTES + 1, true],
  ])('is cut above the limit: %s', async (_, bytes, truncated) => {
    const { run } = await openRig();
    const result = await run(`head -c ${bytes} /dev/zero | tr '\\0' 'x'`);
    expect(envelopeIn(result).metadata.truncated).toBe(truncated);
    expect(printedIn(result).length).toBeLessThanOrEqual(KEPT_BYTES + 100);
  });
});
