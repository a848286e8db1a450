import { expect, it } from 'vitest';
import { openMeter } from '../../../../local-bridge/tools/terminal/sessions/meter.ts';

it('lets what is small through at once, and slows what prints more than its share', () => {
  let now = 0;
  const meter = openMeter(() => now);
  expect(meter.spend(131_072, 1)).toBe(0);
  expect(meter.spend(131_072, 1)).toBe(100);
  now = 1_000;
  expect(meter.spend(131_072, 1)).toBe(0);
});

it('slows what takes more than a quarter of the time, however few bytes it prints', () => {
  const meter = openMeter(() => 0);
  expect(meter.spend(1_000, 12)).toBe(0);
  expect(meter.spend(1_000, 30)).toBe(168);
});
