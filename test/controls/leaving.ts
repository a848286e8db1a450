import type { Control } from './control.ts';

/** Callers who leave, and the messages that cancel their calls. */
export const leaving: readonly Control[] = [
  {
    id: 'left-withdrawn',
    promise: 'A held call whose caller left is withdrawn, and no later yes runs it.',
    in: 'Gate.leave',
    find: 'approvals.withdraw(this.#sql, id, Date.now())',
    replace: 'false',
    tests: ['gate/leaving.test.ts'],
  },
  {
    id: 'left-alone',
    promise: 'A caller who leaves does not withdraw what another caller still waits for.',
    in: 'Gate.leave',
    remove: 'if (this.#waiters.has(id)) return;',
    tests: ['gate/leaving.test.ts'],
  },
  {
    id: 'left-answered',
    promise: 'An approval that a caller was told to come back for outlives the callers held for it.',
    in: 'withdraw',
    find: 'sql.exec(query, id).toArray().length > 0',
    replace: 'query',
    tests: ['gate/leaving.test.ts'],
  },
  {
    id: 'left-asked',
    promise: 'An approval that a client asks its person about outlives the other callers held for it.',
    in: 'askOrHold',
    remove: 'await keepOpen(answer.approval, asking.ports);',
    tests: ['gate/leaving.test.ts'],
  },
  {
    id: 'left-noticed',
    promise: 'A caller who closed their connection is noticed while their call runs.',
    in: 'living',
    find: 'setInterval(() => write(BEAT), BEAT_MS)',
    replace: 'setInterval(() => write(BEAT), 60_000)',
    tests: ['e2e/caller-leaves.test.ts'],
  },
  {
    id: 'cancel-session',
    promise:
      'A message that cancels ends a request of the same client alone, though another one counts its requests alike.',
    in: 'cancelName',
    find: '[principal, session, id]',
    replace: '[principal, id]',
    tests: ['mcp-cancel.test.ts'],
  },
  {
    id: 'session-signed',
    promise: 'A session id that the gateway did not make for this caller says nothing.',
    in: 'sessionsSignedWith',
    find: '!timingSafeEqual(Buffer.from(mac), Buffer.from(right))',
    replace: 'right.length === 0',
    tests: ['mcp-session.test.ts'],
  },
  {
    id: 'instructions-machines',
    promise: 'Only callers that may use machines are told their names when they begin.',
    in: 'instructionsFor',
    find: "caller.scopes.has('machine') && caller.scopes.has('read')",
    replace: 'true',
    tests: ['surfaces/instructions.test.ts'],
  },
];
