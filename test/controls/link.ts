import type { Control } from './control.ts';

const GREETING = {
  file: 'src/machines/gateway-greeting.ts',
  tests: ['test/worker/machines/link-greeting.test.ts'],
};
const PROOF = { file: 'src/core/machine-proof.ts', tests: ['test/node/bridge/machine-key.test.ts'] };
const CALLS = ['test/worker/machines/link-calls.test.ts'];
const JOURNAL = ['test/node/link/simulation.test.ts'];

/** The link between gateway and machine: who is at its other end, and what is believed of it. */
export const link: readonly Control[] = [
  {
    id: 'link-paired',
    promise: 'Every new connection is checked against the registry.',
    file: 'src/api/link-routes.ts',
    find: ' || !(await isPaired(id))',
    replace: '',
    together: [
      {
        file: 'src/machines/machine-object.ts',
        find: "if (!machine.enrolled(this.#sql)) return new Response('No such machine.', { status: 404 });",
        replace: '',
      },
    ],
    tests: GREETING.tests,
  },
  {
    id: 'link-signature',
    promise: 'A machine proves itself by signing a challenge.',
    ...GREETING,
    find: '(await verifyProof(machine.publicKey, text, signature)) ?',
    replace: 'text && signature ?',
  },
  {
    id: 'link-challenge-once',
    promise: 'A challenge is good for one proof.',
    ...GREETING,
    find: "next: { stage: 'checking', at: greeting.at },",
    replace: 'next: greeting,',
    together: [
      {
        file: 'src/machines/machine-object.ts',
        find: "return socket.close(CLOSE.unauthorized, 'the proof does not hold');",
        replace: 'return;',
      },
    ],
  },
  {
    id: 'link-challenge-origin',
    promise: 'A challenge is made for one origin.',
    ...PROOF,
    find: "'bowline link 1', asked.origin,",
    replace: "'bowline link 1',",
  },
  {
    id: 'link-challenge-machine',
    promise: 'A challenge is made for one machine.',
    ...PROOF,
    find: 'asked.machine, asked.nonce',
    replace: 'asked.nonce',
  },
  {
    id: 'link-challenge-nonce',
    promise: 'A challenge is made anew each time: what was signed once proves nothing later.',
    ...PROOF,
    find: 'asked.nonce, asked.connection',
    replace: 'asked.connection',
  },
  {
    id: 'link-challenge-connection',
    promise: 'A challenge is made for one connection.',
    ...PROOF,
    find: 'asked.nonce, asked.connection',
    replace: 'asked.nonce',
  },
  {
    id: 'link-origin-dialled',
    promise: 'A machine refuses to sign for another origin than the one it dialled.',
    file: 'local-bridge/agent/link/greet.ts',
    find: 'if (origin !== greeting.origin) {',
    replace: 'if (false) {',
    tests: ['test/node/link/link.test.ts'],
    only: 'calls itself something else',
  },
  {
    id: 'link-revoked-sockets',
    promise: 'Revoking closes open sockets at once.',
    file: 'src/machines/machine-object.ts',
    find: "this.#sockets.closeAll(CLOSE.revoked, 'revoked');",
    replace: '',
    tests: GREETING.tests,
  },
  {
    id: 'link-greeting-few',
    promise: 'Few sockets greet at a time: nobody has proved anything on them.',
    file: 'src/machines/machine-object.ts',
    find: 'if (this.#sockets.greeting(Date.now() - LINK.handshakeMs) >= MAX_GREETING) {',
    replace: 'if (false) {',
    tests: GREETING.tests,
  },
  {
    id: 'link-frame-size',
    promise: 'A frame over 256 KiB is no frame.',
    file: 'src/core/link-text.ts',
    find: 'if (text.length > LINK.frame) return undefined;',
    replace: '',
    tests: ['test/node/link/journal.test.ts'],
  },
  {
    id: 'link-piece-size',
    promise: 'A piece of a result over 256 KiB, or beyond its end, is none.',
    file: 'src/core/link-pieces.ts',
    find: ' && total <= maxTotal && at + bytes.length <= total;',
    replace: ';',
    tests: ['test/node/link/journal.test.ts'],
  },
  {
    id: 'link-digest',
    promise: 'A machine computes the digest of a call again; what differs is not run.',
    file: 'src/core/prepared-call.ts',
    find: 'if (sha256(text) !== digest) return undefined;',
    replace: '',
    tests: ['test/node/link/runner.test.ts'],
  },
  {
    id: 'link-effect-own',
    promise: "The machine's own contract decides whether a call changes something.",
    file: 'local-bridge/agent/link/machine-link.ts',
    find: 'isToldEffect || this.#runner.isEffect(job.tool)',
    replace: 'isToldEffect',
    tests: ['test/node/link/journal.test.ts'],
  },
  {
    id: 'link-call-owner',
    promise: "A call is refused under the id of another's.",
    file: 'src/machines/gateway-link.ts',
    find: 'if (row.digest !== call.digest || row.principal !== call.principal)',
    replace: 'if (false)',
    tests: CALLS,
  },
  {
    id: 'link-credit',
    promise: 'A result cannot run ahead of its reader.',
    file: 'src/machines/incoming.ts',
    find: 'at + bytes.length > Math.min(this.#granted, this.total)',
    replace: 'at + bytes.length > this.total',
    tests: CALLS,
  },
  {
    id: 'link-once',
    promise: 'A call that was begun is never run again.',
    file: 'local-bridge/agent/link/machine-link.ts',
    find: 'if (this.#answerFromJournal(n, job.id)) return;',
    replace: '',
    tests: JOURNAL,
  },
  {
    id: 'outcome-principal',
    promise: 'Whoever did not make a call does not learn of it.',
    file: 'src/machines/kept-call.ts',
    find: 'if (row?.principal !== principal) return null;',
    replace: 'if (!row) return null;',
    tests: ['test/worker/machines/get-call.test.ts'],
  },
];
