import type { Control } from './control.ts';

/** Terminals that the owner lends for an hour. */
export const loans: readonly Control[] = [
  {
    id: 'loan-caller',
    promise: 'A lent terminal is lent to the caller who asked, and to no other.',
    in: 'isOf',
    remove: 'loan.principal === call.principal',
    tests: ['gate/loans.test.ts'],
  },
  {
    id: 'loan-machine',
    promise: 'A terminal is lent on its own machine, and on no other of that name.',
    in: 'isOf',
    remove: 'loan.machineId === call.machineId',
    tests: ['gate/loans.test.ts'],
  },
  {
    id: 'loan-session',
    promise: 'No other terminal of the same caller is lent with it.',
    in: 'isOf',
    remove: 'loan.session === session',
    tests: ['gate/loans.test.ts'],
  },
  {
    id: 'loan-terminal',
    promise:
      'A machine types what a loan lets in only into the very terminal that was lent, not a later one of its name.',
    in: 'sessionState',
    find: 'startedBy',
    replace: "''",
    tests: ['sessions/owning.test.ts'],
  },
  {
    id: 'loan-no-keys',
    promise: 'While a rule denies commands, keys and parts of lines ask also in a lent terminal.',
    in: 'underLoan',
    find: '!line || noes.some(({ tool }) => tool !== line.tool)',
    replace: 'line && noes.some(({ tool }) => tool !== line.tool)',
    together: [
      {
        in: 'underLoan',
        find: 'mayHide({ ...asked, ...line }, noes, now)',
        replace: 'line && mayHide({ ...asked, ...line }, noes, now)',
      },
    ],
    tests: ['lent-rules.test.ts'],
  },
  {
    id: 'loan-hidden',
    promise: 'While a rule denies a command, a lent terminal does not cover lines that may hide it.',
    in: 'underLoan',
    remove: 'if (mayHide({ ...asked, ...line }, noes, now)) return undefined;',
    tests: ['lent-rules.test.ts'],
  },
  {
    id: 'loan-plain',
    promise:
      'While a rule denies commands, a lent terminal covers only lines whose words still mean what they say.',
    in: 'underLoan',
    find: 'seen !== null && isIt',
    replace: 'isIt',
    tests: ['lent-rules.test.ts'],
  },
  {
    id: 'loan-hour',
    promise: 'A terminal is lent for an hour, also if the clock is set back.',
    in: 'Loans.#live',
    find: 'isWithin(LOAN_MS, lentAt, now)',
    replace: 'true',
    tests: ['gate/loans.test.ts'],
  },
  {
    id: 'loan-begins',
    promise: 'A loan begins with the call that its owner approved, not before.',
    in: 'LOAN_ROWS',
    text: 'AND seq IS NOT NULL',
    replace: '',
    tests: ['gate/loans.test.ts'],
  },
  {
    id: 'loan-over',
    promise: 'A loan ends with its terminal, as soon as the end of a call shows that.',
    in: 'isOver',
    find: 'GONE.has(end.code)',
    replace: 'false',
    tests: ['gate/loans.test.ts'],
  },
  {
    id: 'loan-not-the-owner',
    promise: "The owner's own calls lend no terminal, so that a stolen session cannot type without a proof.",
    in: 'lendable',
    remove: 'principal === OWNER_PRINCIPAL',
    tests: ['gate/loans.test.ts'],
  },
  {
    id: 'loan-token',
    promise: 'A revoked token takes the terminals with it that were lent to it.',
    in: 'revokePersonalToken',
    remove: 'await endLoans({ principal: tokenPrincipal(id) });',
    tests: ['auth/lent-terminals.test.ts'],
  },
  {
    id: 'loan-app',
    promise: 'An app that is let in again under the same name has no terminal that was lent before.',
    in: 'consentRoutes',
    remove: 'await auth.endLoans({ principal: appPrincipal(request.clientId) });',
    tests: ['auth/lent-terminals.test.ts'],
  },
];
