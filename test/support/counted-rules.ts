import type { SecretRule } from '../../src/core/find-secrets.ts';
import { type Attack, grownTo } from './pattern-attacks.ts';
import { type Try, tryAt } from './pattern-steps.ts';

/** What a walk over a text came to. */
export interface Work {
  /** How often a pattern was tried. */
  readonly tries: number;
  readonly steps: number;
}

/** The stretch of the text that repeats one part. */
interface Stretch {
  from: number;
  to: number;
  period: number;
}

/**
 * A pattern that counts what it does. The texts repeat one part, so what a try saw inside of that stretch is the same a
 * part further on, and is counted again without being done again. That makes 4 MB bearable.
 */
class Counted extends RegExp {
  readonly #stretch: Stretch;
  readonly #known: (Try | undefined)[] = [];
  tries = 0;
  steps = 0;

  constructor({ source, flags }: RegExp, stretch: Stretch) {
    super(source, flags);
    this.#stretch = stretch;
  }

  override test(text: string): boolean {
    const at = this.lastIndex;
    const { from, to, period } = this.#stretch;
    const phase = at < from ? -1 : (at - from) % period;
    const same = this.#known[phase];
    this.tries += 1;
    if (same && at + same.low >= from && at + same.high < to) {
      this.steps += same.steps;
      this.lastIndex = same.end < 0 ? 0 : at + same.end;
      return same.end >= 0;
    }
    const { end, steps, low, high } = tryAt(this, text, at);
    this.steps += steps;
    if (phase >= 0 && low >= from && high < to) {
      this.#known[phase] = { steps, end: end < 0 ? -1 : end - at, low: low - at, high: high - at };
    }
    this.lastIndex = Math.max(end, 0);
    return end >= 0;
  }

  forget(): void {
    this.#known.length = 0;
    this.tries = 0;
    this.steps = 0;
  }
}

/** The same rules with patterns that count, and what a walk with them comes to on a text of about that length. */
export function countedRules(rules: readonly SecretRule[]) {
  const stretch: Stretch = { from: 0, to: 0, period: 1 };
  const patterns: Counted[] = [];
  const counted = (pattern: RegExp) => {
    const made = new Counted(pattern, stretch);
    patterns.push(made);
    return made;
  };
  return {
    rules: rules.map(
      ({ label, known, more, ...rest }): SecretRule => ({
        ...rest,
        known: counted(known),
        ...(label && { label: counted(label) }),
        ...(more && { more: counted(more) }),
      }),
    ),
    workOf(attack: Attack, length: number, run: (text: string) => void): Work {
      const text = grownTo(length, attack);
      stretch.from = attack.before.length;
      stretch.to = text.length - attack.after.length;
      stretch.period = attack.part.length;
      for (const pattern of patterns) pattern.forget();
      run(text);
      return patterns.reduce(
        ({ tries, steps }, pattern) => ({ tries: tries + pattern.tries, steps: steps + pattern.steps }),
        { tries: 0, steps: 0 },
      );
    },
  };
}
