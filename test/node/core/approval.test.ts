import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  APPROVAL_MS,
  type Approval,
  approvalCode,
  consume,
  decideApproval,
  normalizeCode,
  openApproval,
  view,
} from '../../../src/core/approval.ts';
import { holdsFor } from '../../support/property.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const who = { digest: 'd', principal: 'p' };

const pending = openApproval({ id: 'i', code: 'AAAA-BBBB', ...who, now: NOW });
/** What a step leads to; a refused one to nothing new, which the tests then see. */
const after = (step: { readonly ok: boolean; readonly approval?: Approval }): Approval =>
  step.approval ?? pending;
const approved = after(decideApproval(pending, 'approve', 'owner', NOW + MINUTE));
const denied = after(decideApproval(pending, 'deny', 'owner', NOW + MINUTE));
const consumed = after(consume(approved, who, NOW + 2 * MINUTE));

describe('an approval', () => {
  it('begins undecided, with ten minutes to decide', () => {
    expect(pending).toEqual({
      id: 'i',
      code: 'AAAA-BBBB',
      digest: 'd',
      principal: 'p',
      state: 'pending',
      openedAt: NOW,
      expiresAt: NOW + 10 * MINUTE,
      decidedAt: null,
      decidedBy: null,
      consumedAt: null,
      told: false,
    });
    expect(APPROVAL_MS).toBe(10 * MINUTE);
  });

  it('that is approved can be used for ten minutes from then', () => {
    expect(approved).toEqual({
      ...pending,
      state: 'approved',
      decidedAt: NOW + MINUTE,
      decidedBy: 'owner',
      expiresAt: NOW + 11 * MINUTE,
    });
  });

  it('that is denied keeps the end it had', () => {
    expect(denied).toEqual({ ...pending, state: 'denied', decidedAt: NOW + MINUTE, decidedBy: 'owner' });
  });

  it('that is used says when', () => {
    expect(consumed).toEqual({ ...approved, state: 'consumed', consumedAt: NOW + 2 * MINUTE });
  });

  it('is not changed by what is done with it', () => {
    expect(pending.state).toBe('pending');
    expect(approved.state).toBe('approved');
  });

  it.each([
    ['pending', pending, 10 * MINUTE],
    ['approved', approved, 11 * MINUTE],
  ])('that is %s expires by itself, at its end and not before', (_, approval, end) => {
    expect(view(approval, NOW + end - 1)).toEqual(approval);
    expect(view(approval, NOW + end)).toEqual({ ...approval, state: 'expired' });
    expect(view({ ...approval, state: 'expired' }, NOW)).toEqual({ ...approval, state: 'expired' });
  });

  it.each([
    ['denied', denied],
    ['consumed', consumed],
  ])('that is %s stays so', (_, approval) => {
    expect(view(approval, NOW + 1_000 * MINUTE)).toEqual(approval);
  });

  describe('is decided', () => {
    it('until its end and no longer', () => {
      for (const decision of ['approve', 'deny'] as const) {
        expect(decideApproval(pending, decision, 'o', NOW + 10 * MINUTE - 1).ok).toBe(true);
        expect(decideApproval(pending, decision, 'o', NOW + 10 * MINUTE)).toEqual({
          ok: false,
          code: 'approval_expired',
          message: 'It is too late to decide; if the call is made again, you are asked again.',
        });
      }
    });

    it('with a yes that can be taken back until it is used or over', () => {
      const back = after(decideApproval(approved, 'deny', 'other', NOW + 2 * MINUTE));
      expect(back).toEqual({ ...approved, state: 'denied', decidedAt: NOW + 2 * MINUTE, decidedBy: 'other' });
      expect(consume(back, who, NOW + 2 * MINUTE)).toEqual({ ok: false, code: 'approval_denied' });
      expect(decideApproval(approved, 'deny', 'o', NOW + 11 * MINUTE)).toMatchObject({
        code: 'approval_expired',
      });
    });

    it.each([
      [
        'approved',
        approved,
        'approve',
        'approval_approved',
        'This call was approved already and was not made yet.',
      ],
      [
        'denied',
        denied,
        'approve',
        'approval_denied',
        'This call was denied already; if it is made again, you are asked again.',
      ],
      [
        'denied',
        denied,
        'deny',
        'approval_denied',
        'This call was denied already; if it is made again, you are asked again.',
      ],
      [
        'used',
        consumed,
        'approve',
        'approval_used',
        'This call was approved already, and the approval was used.',
      ],
      [
        'used',
        consumed,
        'deny',
        'approval_used',
        'This call was approved already, and the approval was used.',
      ],
    ] as const)('only once: %s, then %s', (_, approval, decision, code, message) => {
      expect(decideApproval(approval, decision, 'o', NOW + 3 * MINUTE)).toEqual({ ok: false, code, message });
    });
  });

  describe('is used', () => {
    it('until its end and no longer', () => {
      expect(consume(approved, who, NOW + 11 * MINUTE - 1).ok).toBe(true);
      expect(consume(approved, who, NOW + 11 * MINUTE)).toEqual({ ok: false, code: 'approval_expired' });
    });

    it.each([
      ['undecided', pending, 'approval_pending'],
      ['denied', denied, 'approval_denied'],
      ['used already', consumed, 'approval_used'],
      ['long expired', { ...approved, state: 'expired' }, 'approval_expired'],
    ] as const)('not while it is %s', (_, approval, code) => {
      expect(consume(approval, who, NOW + 3 * MINUTE)).toEqual({ ok: false, code });
    });

    it.each([
      ['another call', { digest: 'x', principal: 'p' }],
      ['another principal', { digest: 'd', principal: 'x' }],
    ])('never for %s, who learns nothing else', (_, by) => {
      for (const approval of [pending, approved, denied, consumed]) {
        expect(consume(approval, by, NOW + 3 * MINUTE)).toEqual({ ok: false, code: 'approval_mismatch' });
      }
    });

    it('by one of twenty who try', () => {
      let stored = approved;
      const outcomes = Array.from({ length: 20 }, () => {
        const step = consume(stored, who, NOW + 2 * MINUTE);
        if (step.ok) stored = step.approval;
        return step.ok ? 'run' : step.code;
      });
      expect(outcomes).toEqual(['run', ...Array(19).fill('approval_used')]);
    });
  });

  // The same promises whatever happens in whatever order.
  describe('in any course of events', () => {
    const step = fc.record({
      wait: fc.constantFrom(0, 0, 1, 1, MINUTE, MINUTE, 5 * MINUTE, 10 * MINUTE - 1, 10 * MINUTE),
      what: fc.constantFrom(
        ...['approve', 'approve', 'deny', 'consume', 'consume', 'consume', 'look'],
        ...['other call', 'other principal'],
      ),
    });

    it('runs at most once, and only within ten minutes of a yes that came within ten minutes', () => {
      let ran = 0;
      holdsFor(fc.array(step, { maxLength: 12 }), (steps) => {
        let stored = pending;
        let now = NOW;
        const model = { yes: null as number | null, no: false, runs: 0 };
        for (const { wait, what } of steps) {
          now += wait;
          const isOpen = model.yes === null ? now < NOW + APPROVAL_MS : now < model.yes + APPROVAL_MS;
          if (what === 'look') {
            stored = view(stored, now);
            continue;
          }
          const isDecision = what === 'approve' || what === 'deny';
          const by = {
            digest: what === 'other call' ? 'x' : 'd',
            principal: what === 'other principal' ? 'x' : 'p',
          };
          const outcome = isDecision ? decideApproval(stored, what, 'o', now) : consume(stored, by, now);
          if (what === 'approve') expect(outcome.ok).toBe(isOpen && model.yes === null && !model.no);
          else if (what === 'deny') expect(outcome.ok).toBe(isOpen && !model.no && model.runs === 0);
          else if (what !== 'consume') expect(outcome).toEqual({ ok: false, code: 'approval_mismatch' });
          else expect(outcome.ok).toBe(isOpen && model.yes !== null && !model.no && model.runs === 0);
          if (!outcome.ok) {
            expect(outcome.code).toMatch(/^approval_(?:pending|approved|denied|used|expired|mismatch)$/);
            continue;
          }
          stored = outcome.approval;
          if (what === 'approve') model.yes = now;
          else if (what === 'deny') model.no = true;
          else model.runs++;
        }
        expect(model.runs).toBeLessThanOrEqual(1);
        ran += model.runs;
      });
      expect(ran).toBeGreaterThan(20);
    });
  });
});

describe('the short code', () => {
  it('is made of eight bytes, with a dash, from an alphabet in which nothing looks alike', () => {
    expect(approvalCode(Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7))).toBe('0123-4567');
    expect(approvalCode(Uint8Array.of(8, 9, 10, 11, 12, 13, 14, 15))).toBe('89AB-CDEF');
    expect(approvalCode(Uint8Array.of(16, 17, 18, 19, 20, 21, 22, 23))).toBe('GHJK-MNPQ');
    expect(approvalCode(Uint8Array.of(24, 25, 26, 27, 28, 29, 30, 31))).toBe('RSTV-WXYZ');
    expect(approvalCode(Uint8Array.of(32, 65, 98, 255, 0, 0, 0, 0, 9))).toBe('012Z-0000');
  });

  it('uses every character as often as any other', () => {
    const counts = new Map<string, number>();
    for (let byte = 0; byte < 256; byte++) {
      const char = approvalCode(new Uint8Array(8).fill(byte)).charAt(0);
      counts.set(char, (counts.get(char) ?? 0) + 1);
    }
    expect(counts.size).toBe(32);
    expect(new Set(counts.values())).toEqual(new Set([8]));
  });

  it('is not made of fewer', () => {
    expect(() => approvalCode(new Uint8Array(7))).toThrow(new RangeError('A code needs 8 bytes'));
  });

  it.each([
    'K7QX-3M9D',
    'k7qx-3m9d',
    'K7QX3M9D',
    ' k7qx 3m9d ',
    'K7-QX-3M-9D',
    'K7QX\u20133M9D',
    'K7QX\u20143M9D',
    'K7QX \u2010 3M9D\n',
    'k7qx\u00a03m9d',
  ])('is understood as it is typed: %j', (text) => {
    expect(normalizeCode(text)).toBe('K7QX-3M9D');
  });

  it('is understood if letters stand for the digits that they look like', () => {
    expect(normalizeCode('oO0o-iIlL')).toBe('0000-1111');
  });

  it('is no code if it has other characters, or more or fewer', () => {
    expect(normalizeCode('')).toBe('-');
    expect(normalizeCode('K7QX')).toBe('K7QX-');
    expect(normalizeCode('K7QX-3M9D-1')).toBe('K7QX-3M9D1');
    expect(normalizeCode('K7QX_3M9D')).toBe('K7QX-_3M9D');
  });

  it('survives being typed, whatever it is', () => {
    holdsFor(fc.uint8Array({ minLength: 8, maxLength: 12 }), (bytes) => {
      const code = approvalCode(bytes);
      expect(code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
      expect(code).not.toMatch(/[ILOU]/);
      expect(normalizeCode(code.toLowerCase().replace('-', ' '))).toBe(code);
    });
  });
});
