import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/gate/approvals.ts';
import { writeEnd } from '../../../src/gate/calls.ts';
import { holdsFor } from '../../support/property.ts';
import { admitAt, approvalIn, inNewGate, MINUTE, START, saidTo, seqIn } from './gate-calls.ts';

const HOUR = 60 * MINUTE;
/** Well within the day for which a key counts, so that no key is forgotten however the clock jumps. */
const OFF = 11 * HOUR;

const end = (sql: SqlStorage, seq: number, at: number, code: string | null) => {
  const outcome = code === null ? 'ok' : 'failed';
  writeEnd(sql, seq, { at, outcome, code, bytes: 0, result: null });
};

describe('what came last counts, also if the clock was set back meanwhile', () => {
  it('a call that ran is not run again because an earlier try under its key did not run', async () => {
    const call = { approval: 'never', idempotencyKey: 'k1' } as const;
    await inNewGate((sql) => {
      const ahead = START + 5 * HOUR;
      end(sql, seqIn(admitAt(sql, ahead, call)), ahead + 1, 'machine_offline');
      const ran = seqIn(admitAt(sql, START, call));
      expect(admitAt(sql, START + 1, call)).toMatchObject({ kind: 'unsettled', seq: ran });
      end(sql, ran, START + 2, null);
      expect(admitAt(sql, START + 3, call)).toMatchObject({ kind: 'earlier', outcome: 'ok' });
    });
  });

  it('a yes counts although the same call was asked about by a clock that was ahead', async () => {
    await inNewGate((sql) => {
      approvalIn(admitAt(sql, START + 5 * HOUR));
      // Its time cannot be known any more, so it is over, and its caller learns that once.
      expect(saidTo(admitAt(sql, START))).toBe('approval_expired');
      const { code } = approvalIn(admitAt(sql, START + 1));
      decide(sql, code, 'approve', 'me', START + 2);
      expect(saidTo(admitAt(sql, START + 3))).toBe('admitted');
    });
  });
});

type Step = { readonly after: number } & (
  | { readonly do: 'call'; readonly key: string }
  | { readonly do: 'end'; readonly code: string | null }
  | { readonly do: 'jump'; readonly to: number }
);

const after = fc.constantFrom(1, 10, MINUTE);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('call' as const), after, key: fc.constantFrom('k1', 'k2') }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      after,
      code: fc.constantFrom('machine_offline', 'machine_offline', 'cancelled', null),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('jump' as const),
      after,
      to: fc.integer({ min: -OFF, max: OFF }),
    }),
  },
);

it('no key runs again after a call under it may have run, whatever the clock does', async () => {
  await inNewGate((sql) => {
    let round = 0;
    holdsFor(
      fc.array(step, { minLength: 5, maxLength: 30 }),
      (steps) => {
        const tag = `#${round++}`;
        let [time, off] = [START, 0];
        /** The last call under each key, and whether it is known that it did not run. */
        const last = new Map<string, { seq: number; ended: boolean; mayHaveRun: boolean }>();
        let newest: string | undefined;
        for (const one of steps) {
          time += one.after;
          const now = time + off;
          if (one.do === 'jump') off = one.to;
          else if (one.do === 'end') {
            const call = newest === undefined ? undefined : last.get(newest);
            if (!call || call.ended) continue;
            call.ended = true;
            call.mayHaveRun = one.code !== 'machine_offline';
            end(sql, call.seq, now, one.code);
          } else {
            const answer = admitAt(sql, now, {
              approval: 'never',
              idempotencyKey: one.key,
              principal: `ada${tag}`,
            });
            expect(answer.kind === 'admitted').toBe(last.get(one.key)?.mayHaveRun !== true);
            if (answer.kind !== 'admitted') continue;
            last.set(one.key, { seq: seqIn(answer), ended: false, mayHaveRun: true });
            newest = one.key;
          }
        }
      },
      60,
    );
  });
});
