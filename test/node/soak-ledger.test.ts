import { describe, expect, it } from 'vitest';
import { change, gatewayEnded, kindsOf, LOST, lineOf, marked, OK, refused, sent } from '../soak/by-hand.ts';
import type { Outage } from '../soak/history.ts';

describe('the ledger', () => {
  it('holds a call twice', () => {
    const call = marked([sent(OK)]);
    const row = lineOf(call);
    const replay = { ...row, decision: 'replayed', because: 'call_1' };
    expect(kindsOf({ calls: [call], marks: ['m'], ledger: [row, replay] })).toEqual(['ledger']);
  });

  it('has a call that never ended, unless its gateway ended', () => {
    const call = marked([sent(LOST)]);
    const ledger = [lineOf(call, { outcome: null })];
    expect(kindsOf({ calls: [call], ledger })).toEqual(['ledger']);
    expect(kindsOf({ calls: [call], ledger, outages: [gatewayEnded] })).toEqual([]);
    const before = { ...gatewayEnded, at: 100, until: 200 };
    expect(kindsOf({ calls: [call], ledger, outages: [before] })).toEqual(['ledger']);
    // No command runs for so long.
    const later = { ...gatewayEnded, at: 1_000_000, until: 1_000_001 };
    expect(kindsOf({ calls: [call], ledger, outages: [later] })).toEqual(['ledger']);
  });

  it('lacks what a full disk did not take, and nothing else', () => {
    const full: Outage = { is: 'full', at: 900, until: 1_100 };
    const call = marked([sent(refused('disk_full'))]);
    expect(kindsOf({ calls: [call] })).toEqual(['ledger']);
    expect(kindsOf({ calls: [call], outages: [full] })).toEqual([]);
    // Ends are written down once there is room.
    const cut = [lineOf(marked([sent(LOST)]), { outcome: null })];
    expect(kindsOf({ ledger: cut, outages: [full] })).toEqual(['ledger']);
    const done = marked([sent(OK)]);
    expect(kindsOf({ calls: [done], marks: ['m'], outages: [full] })).toEqual(['ledger']);
  });

  it('lacks what was acknowledged, or has it as done twice', () => {
    const call = marked([sent(OK)]);
    expect(kindsOf({ calls: [call], marks: ['m'] })).toEqual(['ledger', 'ledger']);
    const ledger = [lineOf(call), lineOf(call)];
    expect(kindsOf({ calls: [call], marks: ['m'], ledger })).toEqual(['ledger']);
    const cut = [lineOf(call, { outcome: null })];
    expect(kindsOf({ calls: [call], marks: ['m'], ledger: cut })).toContain('ledger');
    const late = marked([sent(LOST), sent(OK, 0, 2_000)]);
    const again = [
      lineOf(late, { outcome: null }),
      lineOf(late, { decision: 'replayed', because: 'call_1' }),
    ];
    expect(kindsOf({ calls: [late], marks: ['m'], ledger: again, outages: [gatewayEnded] })).toEqual([]);
    expect(kindsOf({ calls: [late], marks: ['m'], ledger: again })).toContain('ledger');
    // What was answered at once was written down before, and another key is another call.
    const now = { ...late, attempts: [sent(OK)] };
    expect(kindsOf({ calls: [now], marks: ['m'], ledger: again, outages: [gatewayEnded] })).toContain(
      'ledger',
    );
    const other = { ...late, attempts: [sent(LOST), sent(OK, 1, 2_000)] };
    expect(kindsOf({ calls: [other], marks: ['m'], ledger: again, outages: [gatewayEnded] })).toContain(
      'ledger',
    );
    const before = { ...gatewayEnded, at: 100, until: 900 };
    expect(kindsOf({ calls: [late], marks: ['m'], ledger: again, outages: [before] })).toContain('ledger');
    const [one] = again;
    const full: Outage = { is: 'full', at: 900, until: 1_100 };
    const parts = { calls: [now], marks: ['m'], ledger: one ? [one] : [] };
    expect(kindsOf({ ...parts, outages: [full] })).toContain('ledger');
    expect(kindsOf({ ...parts, outages: [{ ...full, is: 'ended' }] })).toContain('ledger');
    // Its gateway ended before there was room, or just as there was.
    const ended: Outage = { is: 'ended', at: 11_100, until: 12_000 };
    expect(kindsOf({ ...parts, outages: [full, ended] })).toEqual([]);
    expect(kindsOf({ ...parts, outages: [{ ...full, at: 1_011 }, ended] })).toContain('ledger');
    expect(kindsOf({ ...parts, outages: [full, { ...ended, at: 11_101 }] })).toContain('ledger');
    expect(kindsOf({ ...parts, outages: [full, { ...ended, at: 1_000, until: 1_005 }] })).toContain('ledger');
    // A full disk cuts no sending off: what the machine told later is written down as the end of the call.
    const cutOff = { ...parts, calls: [late], ledger: again };
    expect(kindsOf({ ...cutOff, outages: [full] })).toContain('ledger');
    // An answer that was given again is written down as what it is.
    const replay = lineOf(call, { decision: 'replayed', because: 'call_1' });
    expect(kindsOf({ calls: [call], marks: ['m'], ledger: [lineOf(call), replay] })).toEqual([]);
  });

  it('says something else than the client was told', () => {
    const call = marked([sent(refused('machine_offline'))]);
    expect(kindsOf({ calls: [call], ledger: [lineOf(call)] })).toEqual(['ledger', 'ledger']);
    const other = lineOf(call, { outcome: 'failed', code: 'timeout' });
    expect(kindsOf({ calls: [call], ledger: [other] })).toEqual(['ledger']);
  });

  it('may only count the refusals of a caller who was refused sixty times in the minute before', () => {
    const calls = Array.from({ length: 62 }, (_, i) =>
      marked([sent(refused('approval_denied'), 0, 1_000 + i)]),
    );
    const lines = calls.map((call) => lineOf(call, { outcome: 'failed', code: 'approval_denied' }));
    expect(kindsOf({ calls, ledger: lines.slice(0, 60) })).toEqual([]);
    expect(kindsOf({ calls, ledger: lines.slice(0, 59) })).toEqual(['ledger']);
    const later = marked([sent(refused('approval_denied'), 0, 70_000)]);
    expect(kindsOf({ calls: [...calls, later], ledger: lines })).toEqual(['ledger']);
  });

  it('has fewer reads than were answered', () => {
    const read = {
      tool: 'list_repo',
      way: 'REST',
      isRefused: false,
      attempts: [{ at: 1, until: 2, told: OK }],
    };
    const row = lineOf({ ...read, token: 'none' }, { decision: 'allowed', because: 'needs no approval' });
    expect(kindsOf({ calls: [read, read], ledger: [row, { ...row, id: 'other' }] })).toEqual([]);
    expect(kindsOf({ calls: [read, read], ledger: [row] })).toEqual(['ledger']);
  });

  it('has a run of what the owner refused', () => {
    const call = marked([sent(refused('approval_denied'))], { isRefused: true });
    const told = lineOf(call, {
      decision: 'refused',
      because: '',
      outcome: 'failed',
      code: 'approval_denied',
    });
    expect(kindsOf({ calls: [call], ledger: [told] })).toEqual([]);
    const ran = lineOf(call, { outcome: null });
    expect(kindsOf({ calls: [call], ledger: [told, ran], outages: [gatewayEnded] })).toEqual(['ledger']);
  });
});

describe('approvals', () => {
  it('are used twice, or were never given', () => {
    const [one, other] = [marked([sent(OK)]), change({ on: 'mark', mark: 'o' }, [sent(OK)])];
    const because = 'approval A-1';
    const ledger = [lineOf(one, { because }), lineOf(other, { because })];
    const parts = { calls: [one, other], marks: ['m', 'o'], ledger };
    expect(kindsOf(parts)).toEqual(['approval']);
    expect(
      kindsOf({ ...parts, ledger: [lineOf(one), lineOf(other, { because: 'needs no approval' })] }),
    ).toEqual(['approval']);
    expect(kindsOf({ ...parts, ledger: [lineOf(one), lineOf(other)], approved: new Set() })).toEqual([
      'approval',
      'approval',
    ]);
  });
});
