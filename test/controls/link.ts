import type { Control } from './control.ts';

const GREETING = ['link-greeting.test.ts'];
const PROOF = ['machine-key.test.ts'];
const CALLS = ['link-calls.test.ts'];
const JOURNAL = ['simulation.test.ts'];

/** The link between gateway and machine: who is at its other end, and what is believed of it. */
export const link: readonly Control[] = [
  {
    id: 'link-paired',
    promise: 'Every new connection is checked against the registry.',
    in: 'linkRoute',
    remove: '!(await isPaired(id))',
    together: [
      {
        in: 'MachineObject.fetch',
        remove: "if (!machine.enrolled(this.#sql)) return new Response('No such machine.', { status: 404 });",
      },
    ],
    tests: GREETING,
  },
  {
    id: 'link-signature',
    promise: 'A machine proves itself by signing a challenge.',
    tests: GREETING,
    in: 'nextStep',
    find: 'await verifyProof(machine.publicKey, text, signature)',
    replace: 'text && signature',
  },
  {
    id: 'link-challenge-once',
    promise: 'A challenge is good for one proof.',
    tests: GREETING,
    in: 'nextStep',
    find: "{ stage: 'checking', at: greeting.at }",
    replace: 'greeting',
    together: [
      {
        in: 'MachineObject.#greet',
        find: "return socket.close(CLOSE.unauthorized, 'the proof does not hold');",
        replace: 'return;',
      },
    ],
  },
  {
    id: 'link-challenge-origin',
    promise: 'A challenge is made for one origin.',
    tests: PROOF,
    in: 'challengeText',
    remove: 'asked.origin',
  },
  {
    id: 'link-challenge-machine',
    promise: 'A challenge is made for one machine.',
    tests: PROOF,
    in: 'challengeText',
    remove: 'asked.machine',
  },
  {
    id: 'link-challenge-nonce',
    promise: 'A challenge is made anew each time: what was signed once proves nothing later.',
    tests: PROOF,
    in: 'challengeText',
    remove: 'asked.nonce',
  },
  {
    id: 'link-challenge-connection',
    promise: 'A challenge is made for one connection.',
    tests: PROOF,
    in: 'challengeText',
    remove: 'asked.connection',
  },
  {
    id: 'link-origin-dialled',
    promise: 'A machine refuses to sign for another origin than the one it dialled.',
    in: 'greet',
    find: 'origin !== greeting.origin',
    replace: 'false',
    tests: ['link.test.ts'],
    only: 'calls itself something else',
  },
  {
    id: 'link-revoked-sockets',
    promise: 'Revoking closes open sockets at once.',
    in: 'MachineObject.revoke',
    remove: "this.#sockets.closeAll(CLOSE.revoked, 'revoked');",
    tests: GREETING,
  },
  {
    id: 'link-greeting-few',
    promise: 'Few sockets greet at a time: nobody has proved anything on them.',
    in: 'MachineObject.fetch',
    find: 'this.#sockets.greeting(Date.now() - LINK.handshakeMs) >= MAX_GREETING',
    replace: 'false',
    tests: GREETING,
  },
  {
    id: 'link-frame-size',
    promise: 'A frame over 256 KiB is no frame.',
    in: 'decodeFrame',
    remove: 'if (text.length > LINK.frame) return undefined;',
    tests: ['journal.test.ts'],
  },
  {
    id: 'link-piece-size',
    promise: 'A piece of a result over 256 KiB, or beyond its end, is none.',
    in: 'decodePiece',
    find: 'Number.isSafeInteger(n) && n > 0 && flags <= OK && total <= maxTotal && at + bytes.length <= total',
    replace: 'Number.isSafeInteger(n) && n > 0 && flags <= OK',
    tests: ['journal.test.ts'],
  },
  {
    id: 'link-digest',
    promise: 'A machine computes the digest of a call again; what differs is not run.',
    in: 'readCallText',
    remove: 'if (sha256(text) !== digest) return undefined;',
    tests: ['runner.test.ts'],
  },
  {
    id: 'link-effect-own',
    promise: "The machine's own contract decides whether a call changes something.",
    in: 'MachineLink.#take',
    remove: 'this.#runner.isEffect(job.tool)',
    tests: ['journal.test.ts'],
  },
  {
    id: 'link-call-owner',
    promise: "A call is refused under the id of another's.",
    in: 'GatewayLink.#joinKnown',
    find: 'row.digest !== call.digest || row.principal !== call.principal',
    replace: 'false',
    tests: CALLS,
  },
  {
    id: 'link-credit',
    promise: 'A result cannot run ahead of its reader.',
    in: 'Incoming.push',
    find: 'Math.min(this.#granted, this.total)',
    replace: 'this.total',
    tests: CALLS,
  },
  {
    id: 'link-once',
    promise: 'A call that was begun is never run again.',
    in: 'MachineLink.#take',
    remove: 'if (this.#answerFromJournal(n, job.id)) return;',
    tests: JOURNAL,
  },
  {
    id: 'outcome-principal',
    promise: 'Whoever did not make a call does not learn of it.',
    in: 'keptCall',
    find: 'row?.principal !== principal',
    replace: '!row',
    tests: ['get-call.test.ts'],
  },
];
