import { evictDurableObject } from 'cloudflare:test';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { writeCall } from '../../../src/gate/calls.ts';
import { rateWait } from '../../../src/gate/rate.ts';
import { RecentCalls } from '../../../src/gate/recent-calls.ts';
import { holdsFor } from '../../support/property.ts';
import { DAY, gateCall, inNewGate, MINUTE, START, saidTo } from './gate-calls.ts';
import { gateNamed } from './rig.ts';

afterEach(() => {
  vi.useRealTimers();
});

const limit = fc.integer({ min: 1, max: 6 });
/** Steps of a clock, dense around the length of the window. */
const forward = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
  { weight: 2, arbitrary: fc.constantFrom(0, 1, MINUTE - 1, MINUTE, MINUTE + 1) },
);
const anyWay = fc.oneof(
  { weight: 5, arbitrary: forward },
  { weight: 1, arbitrary: fc.integer({ min: -3 * MINUTE, max: -1 }) },
);

const COUNTED = { counted: true, decision: 'allowed', because: 'test' };

/** Steps of which one may go back, by no more than a window. */
const aLittleBack = fc
  .tuple(
    fc.array(forward, { maxLength: 30 }),
    fc.integer({ min: -MINUTE, max: 0 }),
    fc.array(forward, { maxLength: 30 }),
  )
  .map(([before, back, after]) => [...before, back, ...after]);

/** Asks at each moment whether a call fits, lets it in if it does, and gives the moments of those that did. */
function letIn(
  sql: SqlStorage,
  principal: string,
  perMinute: number,
  moments: readonly number[],
  recent?: RecentCalls,
): number[] {
  const call = gateCall({ principal });
  return moments.filter((now) => {
    const fits = rateWait(sql, call, perMinute, now, recent) === 0;
    if (fits) {
      writeCall(sql, call, COUNTED, now);
      recent?.add(principal, call.tool, now);
    }
    return fits;
  });
}

let days = 0;

/** The moments after these steps, on a day of their own: the calls of other cases are not of the last minute. */
function momentsOf(steps: readonly number[]): number[] {
  let now = START + ++days * DAY;
  return steps.map((step) => {
    now += step;
    return now;
  });
}

/** The most that any minute held, the minute being [t, t + 60 s). */
function mostInAMinute(moments: readonly number[]): number {
  return Math.max(0, ...moments.map((t) => moments.filter((at) => at >= t && at < t + MINUTE).length));
}

let rounds = 0;
/** Somebody whom the database has not seen yet. */
const newcomer = () => `p${++rounds}`;

describe('a limit of so many calls a minute', () => {
  it('lets in no more than that in any minute, and no fewer than fit', () =>
    inNewGate((sql) => {
      holdsFor(fc.tuple(limit, fc.array(forward, { maxLength: 40 })), ([perMinute, steps]) => {
        const moments = momentsOf(steps);
        const went = letIn(sql, newcomer(), perMinute, moments);
        expect(mostInAMinute(went)).toBeLessThanOrEqual(perMinute);
        // Whoever was turned away found the minute before them full.
        const before: number[] = [];
        for (const now of moments) {
          const isFull = before.filter((at) => at > now - MINUTE).length >= perMinute;
          if (!isFull) before.push(now);
        }
        expect(went).toEqual(before);
      });
    }));

  it('lets in all that are spaced', () =>
    inNewGate((sql) => {
      holdsFor(fc.tuple(limit, fc.integer({ min: 1, max: 40 })), ([perMinute, count]) => {
        const moments = momentsOf(Array(count).fill(Math.ceil(MINUTE / perMinute)));
        expect(letIn(sql, newcomer(), perMinute, moments)).toEqual(moments);
      });
    }));

  it('names the very millisecond from which the next one fits', () =>
    inNewGate((sql) => {
      holdsFor(fc.tuple(limit, aLittleBack), ([perMinute, steps]) => {
        const call = gateCall({ principal: newcomer() });
        for (const now of momentsOf(steps)) {
          const wait = rateWait(sql, call, perMinute, now);
          expect(Number.isInteger(wait)).toBe(true);
          if (wait === 0) writeCall(sql, call, COUNTED, now);
          else {
            expect(rateWait(sql, call, perMinute, now + wait - 1)).toBe(1);
            expect(rateWait(sql, call, perMinute, now + wait)).toBe(0);
          }
        }
      });
    }));

  it('lets in no more when the clock goes back by less than a minute', () =>
    inNewGate((sql) => {
      holdsFor(fc.tuple(limit, aLittleBack), ([perMinute, steps]) => {
        const went = letIn(sql, newcomer(), perMinute, momentsOf(steps));
        expect(mostInAMinute(went)).toBeLessThanOrEqual(perMinute);
      });
    }));

  it('keeps nobody waiting for more than two minutes, however far the clock was set back', () =>
    inNewGate((sql) => {
      holdsFor(fc.tuple(limit, fc.integer({ min: 1, max: 3 * DAY })), ([perMinute, back]) => {
        const call = gateCall({ principal: newcomer() });
        letIn(sql, call.principal, perMinute, Array(perMinute).fill(START));
        expect(rateWait(sql, call, perMinute, START - back)).toBe(back <= MINUTE ? back + MINUTE : 0);
      });
    }));

  it('lets in the very same whether or not it remembers the last minute, whatever the clock does', () =>
    inNewGate((sql) => {
      const steps = fc.array(anyWay, { maxLength: 60 });
      const started = fc.integer({ min: 0, max: 60 });
      holdsFor(fc.tuple(limit, steps, started), ([perMinute, taken, start]) => {
        const moments = momentsOf(taken);
        const [plain, remembering] = [newcomer(), newcomer()];
        const expected = letIn(sql, plain, perMinute, moments);
        // It may begin to remember at any time, as an object that was evicted does.
        const early = letIn(sql, remembering, perMinute, moments.slice(0, start));
        const late = letIn(sql, remembering, perMinute, moments.slice(start), new RecentCalls());
        expect([...early, ...late]).toEqual(expected);
      });
    }));

  it('does not look at the ledger while the last minute is known to be far from full', () =>
    inNewGate((sql) => {
      const recent = new RecentCalls();
      const asked = vi.spyOn(sql, 'exec');
      const ask = (now: number) => {
        const before = asked.mock.calls.length;
        expect(rateWait(sql, gateCall(), 4, now, recent)).toBe(0);
        recent.add(gateCall().principal, gateCall().tool, now);
        return asked.mock.calls.length - before;
      };
      const moments = [START, START + 1, START + 2, START + 3, START + MINUTE, START + 3 * MINUTE];
      expect(moments.map(ask)).toEqual([3, 0, 0, 0, 3, 0]);
    }));

  it('counts a call of the last minute however many others came since', () =>
    inNewGate((sql) => {
      const call = gateCall({ principal: 'ada' });
      writeCall(sql, call, COUNTED, START);
      for (let n = 1; n <= 1_000; n++) writeCall(sql, { ...call, principal: 'bob' }, COUNTED, START + n);
      // Refusals are written late, under the time at which they came.
      for (let n = 0; n < 300; n++) writeCall(sql, call, { ...COUNTED, counted: false }, START - 10 * MINUTE);
      expect(rateWait(sql, call, 1, START + MINUTE - 1)).toBe(1);
      expect(rateWait(sql, call, 1, START + MINUTE)).toBe(0);
    }));

  it('counts each caller and each tool by itself, and only what was let in', () =>
    inNewGate((sql) => {
      const call = gateCall();
      writeCall(sql, call, COUNTED, START);
      writeCall(sql, call, { ...COUNTED, counted: false }, START);
      expect(rateWait(sql, call, 2, START)).toBe(0);
      expect(rateWait(sql, call, 1, START)).toBe(MINUTE);
      expect(rateWait(sql, { ...call, principal: 'bob' }, 1, START)).toBe(0);
      expect(rateWait(sql, { ...call, tool: 'desk_burn' }, 1, START)).toBe(0);
      expect(rateWait(sql, { ...call, client: 'another', digest: 'd2' }, 1, START)).toBe(MINUTE);
      expect(rateWait(sql, { ...call, principal: 'bob' }, 0, START)).toBe(MINUTE);
    }));

  it('holds whenever the object is evicted', async () => {
    const name = crypto.randomUUID();
    const gate = () => gateNamed(name);
    const step = fc.record({ after: forward, evicted: fc.boolean() });
    const play = async (perMinute: number, steps: readonly { after: number; evicted: boolean }[]) => {
      const principal = newcomer();
      const went: number[] = [];
      const expected: number[] = [];
      vi.useFakeTimers({ toFake: ['Date'], now: START });
      let now = START;
      for (const { after, evicted } of steps) {
        if (evicted) await evictDurableObject(gate());
        now += after;
        vi.setSystemTime(now);
        const call = gateCall({ principal, perMinute, approval: 'never', risk: 'read_only' });
        if (saidTo(await gate().admit(call, [])) === 'admitted') went.push(now);
        if (expected.filter((at) => at > now - MINUTE).length < perMinute) expected.push(now);
      }
      expect(went).toEqual(expected);
      expect(mostInAMinute(went)).toBeLessThanOrEqual(perMinute);
    };
    await gate().rules();
    const seed = Number(process.env.FC_SEED ?? 20_260_109);
    const steps = fc.array(step, { minLength: 5, maxLength: 15 });
    await fc.assert(fc.asyncProperty(limit, steps, play), { seed, numRuns: 15 });
  });
});
