import { RE2JS } from 're2js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MAX_COMPILED, matchesWhole } from '../../../src/gate/rules/rule-pattern.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('patterns', () => {
  it('are compiled once, not on every call', () => {
    const compile = vi.spyOn(RE2JS, 'compile');
    for (let i = 0; i < 5; i++) {
      expect(matchesWhole('^remembered$', 'remembered', 'allow')).toBe(true);
      expect(matchesWhole('^remembered($', 'remembered', 'allow')).toBe(false);
    }
    expect(compile).toHaveBeenCalledTimes(2);
  });

  it('are not mixed up with the same for a rule that says no', () => {
    for (let i = 0; i < 2; i++) {
      expect(matchesWhole('^.$', '\n', 'allow')).toBe(false);
      expect(matchesWhole('^.$', '\n', 'deny')).toBe(true);
    }
  });

  it('are forgotten before they are too many, the oldest first', () => {
    const compile = vi.spyOn(RE2JS, 'compile');
    const compiledFor = (from: number, to: number) => {
      compile.mockClear();
      for (let i = from; i < to; i++) matchesWhole(`^n${i}$`, 'x', 'allow');
      return compile.mock.calls.length;
    };
    expect(MAX_COMPILED).toBe(256);
    expect(compiledFor(0, 257)).toBe(257);
    expect(compiledFor(1, 257)).toBe(0);
    expect(compiledFor(0, 1)).toBe(1);
    expect(compiledFor(2, 257)).toBe(0);
    expect(compiledFor(1, 2)).toBe(1);
  });

  it('take time in proportion to the text, however they are written', () => {
    const match = () =>
      expect(matchesWhole('^(a|aa|a*)*(a?){50}b$', 'a'.repeat(100_000), 'allow')).toBe(false);
    expect(cpuMsOf(match)).toBeLessThan(2_000);
  });
});
