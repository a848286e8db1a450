import { describe, expect, it } from 'vitest';
import { RULES } from '../../simulator/broken.ts';
import { simulate } from '../../simulator/simulate.ts';
import { AT_LENGTH } from '../../support/at-length.ts';

const SEEDS = AT_LENGTH ? 5_000 : 400;
/** A broken rule has to show within so many lives; the slowest takes a few hundred. */
const LIVES = 1_000;

describe('the link in a storm', () => {
  it('runs nothing twice, loses nothing and mixes up nothing', { timeout: 600_000 }, () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { violations } = simulate(seed);
      expect(violations, `node scripts/simulate.ts --seed ${seed}`).toEqual([]);
    }
  });

  it('lives the same life by the same seed', () => {
    for (const seed of [1, 77, 4_711]) expect(simulate(seed)).toEqual(simulate(seed));
  });

  it('has storms that reach every kind of end', () => {
    const traces = Array.from({ length: 60 }, (_, seed) => simulate(seed).trace.join('\n')).join('\n');
    for (const what of [
      'result',
      'unknown',
      'not_run',
      'offline',
      'running',
      'the wire is cut',
      'the gateway crashes',
      'the machine crashes',
      'loses its disk',
      'the machine drains',
      'dies before a send',
      'dies after a send',
      'dies before a sync',
      'dies after a sync',
      'dies before an append',
    ]) {
      expect(traces).toContain(what);
    }
  });

  it.each(Object.entries(RULES))('shows it when this is broken: %s', (_, broken) => {
    const shows = () => {
      for (let seed = 1; seed <= LIVES; seed++) {
        if (simulate(seed, broken).violations.length > 0) return true;
      }
      return false;
    };
    expect(shows()).toBe(true);
  });
});
