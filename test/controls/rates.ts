import type { Control } from './control.ts';

/** How often one caller may have something done, looked up or asked. */
export const rates: readonly Control[] = [
  {
    id: 'groups-off',
    promise: 'A tool whose group the owner switched off runs for nobody.',
    in: 'admitCall',
    remove:
      "if (call.group !== undefined && law.groupsOff.has(call.group)) return { kind: 'refused', code: 'group_off' };",
    tests: ['groups.test.ts'],
  },
  {
    id: 'rate-limits',
    promise: 'Calls over the limit per minute are refused.',
    in: 'admitCall',
    remove: "if (wait > 0) return { kind: 'refused', code: 'rate_limited', retryAfterMs: wait };",
    tests: ['rates.test.ts'],
  },
  {
    id: 'clock-back',
    promise:
      'After the clock is set back, no limit, approval, proof or challenge lasts until the clock shows the old time again.',
    in: 'lately',
    find: 'now + Math.min(ms, DRIFT_MS)',
    replace: 'Number.MAX_SAFE_INTEGER - ms',
    tests: ['clock-jumps.test.ts', 'remember-tokens.test.ts', 'core/policy.test.ts'],
  },
  {
    id: 'clock-back-token',
    promise: 'After the clock is set back, a token lasts no longer than its days.',
    in: 'findToken',
    find: 'Math.max(0, row.created_at - now)',
    replace: '0',
    tests: ['clock-jumps.test.ts'],
  },
  {
    id: 'rate-clock',
    promise: 'A clock that goes back lets in no more calls than a limit allows.',
    in: 'writeCall',
    find: 'earlier > now',
    replace: 'earlier > now + 1e15',
    tests: ['rates.test.ts'],
  },
  {
    id: 'rate-last-minute',
    promise: 'A limit counts every call of the last minute, however many others came since.',
    in: 'lastMinute',
    find: 'rows.length < ROWS_AT_ONCE',
    replace: 'rows.length <= ROWS_AT_ONCE',
    tests: ['rates.test.ts'],
  },
  {
    id: 'rate-looks',
    promise: 'A call that a preview refuses counts towards the limit per minute.',
    in: 'admitCall',
    find: "count(false); return { kind: 'look' }",
    replace: "return { kind: 'look' }",
    tests: ['rates-asked.test.ts', 'local-gate.test.ts'],
  },
  {
    id: 'rate-asked',
    promise: 'A call that the owner is asked about counts towards the limit per minute.',
    in: 'admitCall',
    remove: 'if (standing.isNew) count(true);',
    tests: ['rates-asked.test.ts'],
  },
  {
    id: 'rate-asked-once',
    promise: 'A call that is admitted after the owner was asked counts once.',
    in: 'uncountAsked',
    find: 'sql.exec(one, principal, tool, callId, digest);',
    replace: 'if (one === digest) sql.exec(one, principal, tool, callId, digest);',
    tests: ['rates-asked.test.ts'],
  },
  {
    id: 'rate-places',
    promise: 'The number of lookups of missing machines and folders is limited.',
    in: 'boundedPlace',
    remove: 'if (isNowhere) refused.add(key, now);',
    tests: ['place-limit.test.ts'],
  },
  {
    id: 'rate-places-joined',
    promise: 'So is the number of lookups of the only machine that has a joined tool.',
    in: 'boundedPlace',
    find: 'place(contract, input, caller, onlyOn)',
    replace: 'place(contract, input, caller)',
    tests: ['place-limit.test.ts'],
  },
  {
    id: 'look-left',
    promise: 'The owner is not asked about a call whose caller left during the preview.',
    in: 'Asking.ask',
    remove: 'if (!this.isAwaited()) return CANCELLED;',
    tests: ['leaving.test.ts'],
  },
];
