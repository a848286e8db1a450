import type { Control } from './control.ts';

/** How often one caller may have something done, looked up or asked. */
export const rates: readonly Control[] = [
  {
    id: 'rate-limits',
    promise: 'Calls over the limit of a minute are refused.',
    file: 'src/gate/admit.ts',
    find: "if (wait > 0) return { kind: 'refused', code: 'rate_limited', retryAfterMs: wait };",
    replace: '',
    tests: ['test/worker/gate/rates.test.ts'],
  },
  {
    id: 'rate-looks',
    promise: 'A call that a look refuses counts towards the limit of a minute.',
    file: 'src/gate/admit.ts',
    find: 'count(false);',
    replace: '',
    tests: ['test/worker/gate/rates-asked.test.ts', 'test/node/gate/local-gate.test.ts'],
  },
  {
    id: 'rate-asked',
    promise: 'A call that the owner is asked about counts towards the limit of a minute.',
    file: 'src/gate/admit.ts',
    find: 'if (standing.isNew) count(true);',
    replace: '',
    tests: ['test/worker/gate/rates-asked.test.ts'],
  },
  {
    id: 'rate-asked-once',
    promise: 'A call that is let in after the owner was asked counts once.',
    file: 'src/gate/rate.ts',
    find: 'sql.exec(one, principal, tool, callId, digest);',
    replace: 'if (one === digest) sql.exec(one, principal, tool, callId, digest);',
    tests: ['test/worker/gate/rates-asked.test.ts'],
  },
  {
    id: 'rate-places',
    promise: 'Nobody has machines and folders that are not there looked up without end.',
    file: 'src/gate/gate-door.ts',
    find: 'if (isNowhere) refused.add(key, now);',
    replace: '',
    tests: ['test/node/gate/place-limit.test.ts'],
  },
  {
    id: 'look-left',
    promise: 'Nobody asks the owner for a caller who left while it was looked at what the call would do.',
    file: 'src/gate/decide-about.ts',
    find: "if (!this.isAwaited()) return { kind: 'failed', failure: doorFailure('cancelled') };",
    replace: '',
    tests: ['test/worker/gate/leaving.test.ts'],
  },
];
