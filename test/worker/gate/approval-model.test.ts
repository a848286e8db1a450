import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decide } from '../../../src/gate/approvals.ts';
import { writeEnd } from '../../../src/gate/calls.ts';
import { holdsFor } from '../../support/property.ts';
import { admitAt, approvalIn, inNewGate, MINUTE, START, seqIn } from './gate-calls.ts';

const TEN = 10 * MINUTE;

type Step = { readonly after: number } & (
  | { readonly do: 'call'; readonly who: string; readonly what: string; readonly naming: number | null }
  | { readonly do: 'decide'; readonly which: number; readonly say: 'approve' | 'deny' }
  | { readonly do: 'end'; readonly outcome: 'ok' | 'failed' }
);

/** The moments that matter lie around these. */
const after = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(1, 2, MINUTE - 1, MINUTE) },
  { weight: 1, arbitrary: fc.constantFrom(5 * MINUTE, TEN - 1, TEN, TEN + 1) },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      after,
      who: fc.constantFrom('ada', 'ada', 'ada', 'bob'),
      what: fc.constantFrom('d1', 'd1', 'd1', 'd2'),
      naming: fc.option(fc.nat(5), { freq: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      after: fc.constantFrom(1, 1, 1, TEN - 2, TEN),
      which: fc.constantFrom(0, 0, 0, 1, 2),
      say: fc.constantFrom('approve' as const, 'approve' as const, 'deny' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      after,
      outcome: fc.constantFrom('ok' as const, 'failed' as const),
    }),
  },
);

interface Opened {
  readonly id: string;
  readonly code: string;
  readonly who: string;
  readonly what: string;
  /** What the owner last said about it, and since when it counts. */
  said: 'nothing' | 'yes' | 'no';
  since: number;
  used: boolean;
}

/** Plays the steps on a real database, and holds against it what was said and what ran. */
function play(sql: SqlStorage, steps: readonly Step[], tag: string): void {
  let now = START;
  const opened: Opened[] = [];
  const running: { seq: number; who: string; what: string; at: number; ended?: 'ok' | 'failed' }[] = [];

  for (const step of steps) {
    now += step.after;
    if (step.do === 'decide') {
      // The newest first, since most of the others are over.
      const known = opened.at(-1 - step.which);
      if (!known) continue;
      const result = decide(sql, known.code, step.say, 'me', now);
      const canBeSaid = known.said === 'nothing' || (known.said === 'yes' && step.say === 'deny');
      expect('approval' in result).toBe(canBeSaid && !known.used && now - known.since < TEN);
      if ('approval' in result) {
        known.said = step.say === 'approve' ? 'yes' : 'no';
        known.since = now;
      }
    } else if (step.do === 'end') {
      const last = running.at(-1);
      if (!last || last.ended) continue;
      last.ended = step.outcome;
      writeEnd(sql, last.seq, { at: now, outcome: step.outcome, code: null, bytes: 0, result: '{}' });
    } else {
      const { who, what } = step;
      const named = step.naming === null ? undefined : opened.at(-1 - step.naming);
      const usable = opened.find(
        (one) =>
          one.who === who &&
          one.what === what &&
          one.said === 'yes' &&
          !one.used &&
          now - one.since < TEN &&
          (!named || named === one),
      );
      const change = { principal: who + tag, digest: what, retryOf: named?.id ?? null };
      const answer = admitAt(sql, now, change);

      // Nothing runs without a yes of its own; and with one, it runs however lately it did.
      expect(answer.kind === 'admitted').toBe(usable !== undefined);
      if (answer.kind === 'admitted') {
        if (usable) usable.used = true;
        running.push({ seq: seqIn(answer), who, what, at: now });
      } else if (answer.kind === 'ask') {
        expect(answer.approval.expiresAt).toBeGreaterThan(now);
        if (answer.isNew) {
          opened.push({ ...approvalIn(answer), who, what, said: 'nothing', since: now, used: false });
        }
        const asked = opened.find(({ id }) => id === answer.approval.id);
        expect(asked).toMatchObject({ who, what });
      }
    }
  }
}

it('a call runs with a yes to just that call, once for each, whatever happens in between', async () => {
  await inNewGate((sql) => {
    let round = 0;
    // One database for all rounds; every round has people of its own, and begins when those before are over.
    holdsFor(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
      sql.exec('DELETE FROM approval_args');
      sql.exec('DELETE FROM approval');
      play(sql, steps, `#${round++}`);
    });
  });
});
