import type { Control } from './control.ts';

/** How often one caller may have something done, looked up or asked. */
export const rates: readonly Control[] = [
  {
    id: 'rate-limits',
    promise: 'Calls over the limit of a minute are refused.',
    in: 'admitCall',
    remove: "if (wait > 0) return { kind: 'refused', code: 'rate_limited', retryAfterMs: wait };",
    tests: ['rates.test.ts'],
  },
  {
    id: 'rate-looks',
    promise: 'A call that a look refuses counts towards the limit of a minute.',
    in: 'admitCall',
    remove: 'count(false);',
    tests: ['rates-asked.test.ts', 'local-gate.test.ts'],
  },
  {
    id: 'rate-asked',
    promise: 'A call that the owner is asked about counts towards the limit of a minute.',
    in: 'admitCall',
    remove: 'if (standing.isNew) count(true);',
    tests: ['rates-asked.test.ts'],
  },
  {
    id: 'rate-asked-once',
    promise: 'A call that is let in after the owner was asked counts once.',
    in: 'uncountAsked',
    find: 'sql.exec(one, principal, tool, callId, digest);',
    replace: 'if (one === digest) sql.exec(one, principal, tool, callId, digest);',
    tests: ['rates-asked.test.ts'],
  },
  {
    id: 'rate-places',
    promise: 'Nobody has machines and folders that are not there looked up without end.',
    in: 'boundedPlace',
    remove: 'if (isNowhere) refused.add(key, now);',
    tests: ['place-limit.test.ts'],
  },
  {
    id: 'look-left',
    promise: 'Nobody asks the owner for a caller who left while it was looked at what the call would do.',
    in: 'Asking.ask',
    remove: 'if (!this.isAwaited()) return CANCELLED;',
    tests: ['leaving.test.ts'],
  },
];
