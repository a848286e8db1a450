import { describe, expect, it } from 'vitest';
import {
  approvalByCode,
  decide,
  listApprovals,
  noteAnswered,
  withdraw,
} from '../../../src/gate/approvals.ts';
import { admitAt, approvalIn, DAY, inNewGate, MINUTE, SECOND, START, saidTo } from './gate-calls.ts';

const TEN = 10 * MINUTE;

describe('an approval that nobody decides', () => {
  it('is one for all calls alike, and lasts ten minutes to the millisecond', () =>
    inNewGate((sql) => {
      const { code, id, expiresAt } = approvalIn(admitAt(sql, START));
      expect(expiresAt).toBe(START + TEN);
      expect(admitAt(sql, START + TEN - 1)).toEqual({
        kind: 'ask',
        approval: { code, id, expiresAt },
        isNew: false,
      });
      expect(saidTo(admitAt(sql, START + TEN))).toBe('approval_expired');
    }));

  it('is said once to have run out; then the call asks anew', () =>
    inNewGate((sql) => {
      const first = approvalIn(admitAt(sql, START));
      expect(saidTo(admitAt(sql, START + TEN))).toBe('approval_expired');
      const again = admitAt(sql, START + TEN);
      expect(again).toMatchObject({ kind: 'ask', isNew: true });
      expect(approvalIn(again).code).not.toBe(first.code);
      expect(approvalIn(again).expiresAt).toBe(START + 2 * TEN);
    }));

  it('is said every time to have run out to a call that names it', () =>
    inNewGate((sql) => {
      const { id } = approvalIn(admitAt(sql, START));
      for (const after of [TEN, TEN + 1, 2 * TEN]) {
        expect(saidTo(admitAt(sql, START + after, { retryOf: id }))).toBe('approval_expired');
      }
      expect(admitAt(sql, START + 2 * TEN)).toMatchObject({ kind: 'ask', isNew: true });
    }));

  it('can be decided until its last millisecond', () =>
    inNewGate((sql) => {
      const { code } = approvalIn(admitAt(sql, START));
      const other = approvalIn(admitAt(sql, START, { digest: 'd2' }));
      expect(decide(sql, code, 'approve', 'me', START + TEN)).toMatchObject({ refused: 'approval_expired' });
      const decided = decide(sql, other.code, 'approve', 'me', START + TEN - 1);
      expect(decided).toMatchObject({ approval: { state: 'approved', decidedBy: 'me' } });
    }));
});

describe('an approval that was given', () => {
  const given = (sql: SqlStorage, at: number) => {
    const open = approvalIn(admitAt(sql, START));
    expect(decide(sql, open.code, 'approve', 'me', at)).toMatchObject({ approval: { state: 'approved' } });
    return open;
  };

  it('is good for ten minutes from then, to the millisecond', async () => {
    const decidedAt = START + 9 * MINUTE;
    await inNewGate((sql) => {
      given(sql, decidedAt);
      expect(saidTo(admitAt(sql, decidedAt + TEN - 1))).toBe('admitted');
    });
    await inNewGate((sql) => {
      const { id } = given(sql, decidedAt);
      expect(saidTo(admitAt(sql, decidedAt + TEN))).toBe('approval_expired');
      expect(saidTo(admitAt(sql, decidedAt + TEN, { retryOf: id }))).toBe('approval_expired');
      expect(admitAt(sql, decidedAt + TEN)).toMatchObject({ kind: 'ask', isNew: true });
    });
  });

  it('is used up by one call; the next call like it asks anew', () =>
    inNewGate((sql) => {
      const { id } = given(sql, START);
      expect(saidTo(admitAt(sql, START + SECOND, { retryOf: id }))).toBe('admitted');
      expect(saidTo(admitAt(sql, START + SECOND, { retryOf: id }))).toBe('unsettled');
      expect(saidTo(admitAt(sql, START + SECOND, { retryOf: id, digest: 'd2' }))).toBe('approval_mismatch');
      expect(admitAt(sql, START + SECOND)).toMatchObject({ kind: 'ask', isNew: true });
    }));

  it('can be taken back until it is used, and not after', () =>
    inNewGate((sql) => {
      const { code } = given(sql, START);
      expect(decide(sql, code, 'approve', 'me', START)).toMatchObject({ refused: 'approval_approved' });
      expect(decide(sql, code, 'deny', 'me', START)).toMatchObject({ approval: { state: 'denied' } });
      expect(saidTo(admitAt(sql, START))).toBe('approval_denied');
      const other = approvalIn(admitAt(sql, START, { digest: 'd2' }));
      decide(sql, other.code, 'approve', 'me', START);
      expect(saidTo(admitAt(sql, START, { digest: 'd2' }))).toBe('admitted');
      expect(decide(sql, other.code, 'deny', 'me', START)).toMatchObject({ refused: 'approval_used' });
    }));

  it('is for one principal', () =>
    inNewGate((sql) => {
      const { id, code } = given(sql, START);
      expect(saidTo(admitAt(sql, START, { principal: 'bob', retryOf: id }))).toBe('approval_mismatch');
      const other = admitAt(sql, START, { principal: 'bob' });
      expect(other).toMatchObject({ kind: 'ask', isNew: true });
      expect(approvalIn(other).code).not.toBe(code);
      expect(saidTo(admitAt(sql, START))).toBe('admitted');
    }));
});

describe('an approval that was refused', () => {
  it('stays refused until its ten minutes are over; then the call asks anew', () =>
    inNewGate((sql) => {
      const { code, id } = approvalIn(admitAt(sql, START));
      decide(sql, code, 'deny', 'me', START + 5 * MINUTE);
      for (const after of [5 * MINUTE, TEN - 1]) {
        expect(saidTo(admitAt(sql, START + after))).toBe('approval_denied');
      }
      expect(decide(sql, code, 'approve', 'me', START + 6 * MINUTE)).toMatchObject({
        refused: 'approval_denied',
      });
      expect(admitAt(sql, START + TEN)).toMatchObject({ kind: 'ask', isNew: true });
      expect(saidTo(admitAt(sql, START + TEN, { retryOf: id }))).toBe('approval_denied');
    }));

  it('is withdrawn for a caller who left, pending or approved, and asks anew with the same call', () =>
    inNewGate((sql) => {
      expect(withdraw(sql, 'no such id', START)).toBe(false);
      for (const isApproved of [false, true]) {
        const { code, id } = approvalIn(admitAt(sql, START));
        if (isApproved) decide(sql, code, 'approve', 'me', START);
        expect(withdraw(sql, id, START)).toBe(true);
        expect(withdraw(sql, id, START)).toBe(false);
        expect(decide(sql, code, 'approve', 'me', START)).toMatchObject({
          refused: 'approval_expired',
          message: expect.stringContaining('The caller left'),
        });
        // A client that was asked first comes back with its state.
        expect(admitAt(sql, START, { retryOf: id, digest: 'd2' })).toMatchObject({ kind: 'refused' });
        const anew = admitAt(sql, START, { retryOf: id });
        expect(anew).toMatchObject({ kind: 'ask', isNew: true });
        expect(approvalIn(anew).id).not.toBe(id);
        withdraw(sql, approvalIn(anew).id, START);
      }
    }));

  it('is not withdrawn once a caller was told to come back, or after it ended otherwise', () =>
    inNewGate((sql) => {
      const { id } = approvalIn(admitAt(sql, START));
      noteAnswered(sql, id, 1);
      expect(withdraw(sql, id, START)).toBe(false);
      const other = approvalIn(admitAt(sql, START, { digest: 'd2' }));
      decide(sql, other.code, 'deny', 'me', START);
      expect(withdraw(sql, other.id, START)).toBe(false);
      expect(saidTo(admitAt(sql, START, { digest: 'd2' }))).toBe('approval_denied');
    }));
});

describe('approvals that wait', () => {
  const openAll = (sql: SqlStorage, count: number, now = START) =>
    Array.from({ length: count }, (_, i) =>
      approvalIn(admitAt(sql, now, { digest: `d${i}`, principal: `p${i % 4}` })),
    );
  const oneMore = (sql: SqlStorage, now = START) => saidTo(admitAt(sql, now, { digest: 'one more' }));

  it('are twenty at most, of all callers together', () =>
    inNewGate((sql) => {
      const [first] = openAll(sql, 20);
      expect(oneMore(sql)).toBe('too_many_pending');
      // Those that wait go on waiting, and calls like them are no new ones.
      expect(saidTo(admitAt(sql, START, { digest: 'd0', principal: 'p0' }))).toBe('ask');
      decide(sql, first?.code ?? '', 'deny', 'me', START);
      expect(oneMore(sql)).toBe('ask');
      expect(saidTo(admitAt(sql, START, { digest: 'and another' }))).toBe('too_many_pending');
    }));

  it('are five at most of one caller, who leaves the other places to others', () =>
    inNewGate((sql) => {
      const ask = (i: number, now = START) => admitAt(sql, now, { digest: `d${i}`, principal: 'greedy' });
      const five = [0, 1, 2, 3, 4].map((i) => approvalIn(ask(i)));
      for (let i = 5; i < 25; i++) expect(saidTo(ask(i))).toBe('too_many_of_yours');
      // Those that wait go on waiting, and everybody else may ask.
      expect(saidTo(ask(0))).toBe('ask');
      expect(oneMore(sql)).toBe('ask');
      decide(sql, five[0]?.code ?? '', 'deny', 'me', START);
      expect(saidTo(ask(5))).toBe('ask');
      expect(saidTo(ask(6))).toBe('too_many_of_yours');
      expect(saidTo(ask(6, START + TEN))).toBe('ask');
    }));

  it('make room when they run out', () =>
    inNewGate((sql) => {
      openAll(sql, 20);
      expect(oneMore(sql, START + TEN - 1)).toBe('too_many_pending');
      expect(oneMore(sql, START + TEN)).toBe('ask');
    }));

  it('are as many as the owner says', () =>
    inNewGate((sql) => {
      const law = { maxPending: 2 };
      for (const principal of ['p1', 'p2']) {
        expect(saidTo(admitAt(sql, START, { digest: principal, principal }, law))).toBe('ask');
      }
      expect(saidTo(admitAt(sql, START, { digest: 'd3' }, law))).toBe('too_many_pending');
    }));

  it.each([
    [40, 10],
    [7, 1],
    [3, 1],
  ])('are a quarter of as many, of one caller: %s → %s', (maxPending, share) =>
    inNewGate((sql) => {
      for (let i = 0; i <= share; i++) {
        const said = saidTo(admitAt(sql, START, { digest: `d${i}` }, { maxPending }));
        expect(said).toBe(i < share ? 'ask' : 'too_many_of_yours');
      }
    }),
  );
});

describe('an approval of yesterday', () => {
  it('is forgotten with its arguments as soon as another is opened', () =>
    inNewGate((sql) => {
      const { code, id } = approvalIn(admitAt(sql, START));
      expect(approvalByCode(sql, code, START + DAY)).toMatchObject({ args: '{"path":"a"}' });
      admitAt(sql, START + DAY + 1, { digest: 'd2', args: '{}' });
      expect(approvalByCode(sql, code, START + DAY + 1)).toBeUndefined();
      expect(sql.exec('SELECT text FROM approval_args').toArray()).toEqual([{ text: '{}' }]);
      expect(saidTo(admitAt(sql, START + DAY + 1, { retryOf: id }))).toBe('approval_mismatch');
    }));

  it('does not push out of the list what waits, however many there were', () =>
    inNewGate((sql) => {
      const waits = approvalIn(admitAt(sql, START));
      for (let i = 0; i < 300; i++) {
        const { id } = approvalIn(admitAt(sql, START + 1 + i, { digest: `x${i}`, principal: 'mallory' }));
        withdraw(sql, id, START + 1 + i);
      }
      const pending = Array.from(listApprovals(sql, 'pending', START + SECOND), ({ code }) => code);
      expect(pending).toEqual([waits.code]);
      expect([...listApprovals(sql, undefined, START + SECOND)]).toHaveLength(200);
    }));
});
