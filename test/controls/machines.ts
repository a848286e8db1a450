import type { Control } from './control.ts';

const PROOF = { file: 'src/core/machine-proof.ts', tests: ['test/node/bridge/machine-key.test.ts'] };
const PAIRING = ['test/worker/machines/pairing-attacks.test.ts'];
const POLICY = { file: 'local-bridge/agent/policy/door.ts', tests: ['test/node/bridge/policy.test.ts'] };

/** Machines: how they are let in, what they are asked, and what they decide for themselves. */
export const machines: readonly Control[] = [
  {
    id: 'pairing-signed',
    promise: "A request to pair is signed with the machine's own key, for this gateway and this name.",
    file: 'src/machines/pairing.ts',
    find: 'if (!(await verifyProof(asked.publicKey, text, asked.signature))) return',
    replace: 'if (false) return',
    tests: PAIRING,
  },
  {
    id: 'pairing-throttle',
    promise: 'From one address pairing is asked for ten times in ten minutes.',
    file: 'src/machines/pairing.ts',
    find: '{ what: `pair:${networkOf(asked.address)}`, limit: limits.pairFrom },',
    replace: '',
    tests: PAIRING,
  },
  {
    id: 'pairing-waiting',
    promise: 'Three machines wait at once from one address.',
    file: 'src/owner/enrolments.ts',
    find: ' || sameAddress.length >= MAX_PENDING_FROM',
    replace: '',
    tests: PAIRING,
  },
  {
    id: 'pairing-fingerprint',
    promise: 'Pairing is confirmed by the fingerprint; name and code alone confirm nothing.',
    file: 'src/machines/pairing.ts',
    find: 'if (plain(asked.fingerprint) !== plain(await fingerprintOf(publicKey))) {',
    replace: 'if (false) {',
    tests: PAIRING,
  },
  {
    id: 'pairing-key',
    promise: 'What is confirmed is the key that the owner looked at.',
    file: 'src/owner/enrolments.ts',
    find: "if (row.public_key !== publicKey) return 'wrong_fingerprint';",
    replace: '',
    tests: ['test/worker/machines/pairing.test.ts'],
  },
  {
    id: 'pairing-time',
    promise: 'A machine waits for ten minutes.',
    file: 'src/owner/enrolments.ts',
    find: "if (row.expires_at <= now) return 'expired';",
    replace: '',
    tests: ['test/worker/machines/pairing.test.ts'],
  },
  {
    id: 'pairing-proof',
    promise: 'Pairing needs a fresh proof.',
    file: 'src/api/pairing-routes.ts',
    find: 'if (!hasFreshProof(visit)) return failed(proofNeeded);',
    replace: '',
    tests: PAIRING,
  },
  {
    id: 'renaming-proof',
    promise: 'Renaming and choosing the default need a fresh proof.',
    file: 'src/owner/owner-changes.ts',
    find: "'POST /api/owner/machines/:id': 'fresh',",
    replace: "'POST /api/owner/machines/:id': 'session',",
    tests: PAIRING,
  },
  {
    id: 'machine-key-private',
    promise: "A machine's key is refused if others can read it.",
    file: 'local-bridge/agent/pairing/machine-key.ts',
    find: 'if (statSync(path).mode & 0o077) {',
    replace: 'if (false) {',
    tests: PROOF.tests,
  },
  {
    id: 'private-files',
    promise: 'Keys and tokens are written so that their user alone can read them.',
    file: 'local-bridge/lib/private-file.ts',
    find: '{ mode: 0o600, ',
    replace: '{ mode: 0o644, ',
    // A key that others can read is refused when it is read; here it is to be seen how it was written.
    together: [
      {
        file: 'local-bridge/agent/pairing/machine-key.ts',
        find: 'if (statSync(path).mode & 0o077) {',
        replace: 'if (false) {',
      },
    ],
    tests: PROOF.tests,
  },
  {
    id: 'machine-deny',
    promise: 'A machine never runs what its own settings deny.',
    ...POLICY,
    find: 'denied.has(tool)\n',
    replace: 'false\n',
  },
  {
    id: 'machine-ask',
    promise: 'A machine asks in its own terminal where its settings say so.',
    ...POLICY,
    find: 'if (!asking.has(request.contract.wireName)) return ADMITTED;',
    replace: 'return ADMITTED;',
  },
  {
    id: 'machine-nobody',
    promise: 'Where nobody answers at the machine, the call does not run.',
    ...POLICY,
    find: "if (said === 'nobody') return refuse(",
    replace: "if (said === 'nobody') return ADMITTED ?? refuse(",
  },
  {
    id: 'machine-settings',
    promise: 'Settings with a word that means nothing start nothing.',
    file: 'local-bridge/agent/policy/settings.ts',
    find: 'if (machineTools.includes(context.value) || isJoinedName(context.value)) return;',
    replace: 'return;',
    tests: POLICY.tests,
  },
  {
    id: 'machine-ask-shown',
    promise: 'A yes at the machine holds for what was shown there, and for nothing that came after.',
    ...POLICY,
    find: 'state === null ? ADMITTED : { ...ADMITTED, seen: state }',
    replace: 'ADMITTED',
  },
  {
    id: 'machine-ask-same',
    promise: 'Nobody at the machine is asked about other content than the owner said yes to.',
    ...POLICY,
    find: 'if (state !== null && request.seen !== undefined && request.seen !== state)',
    replace: 'if (state === request.callId)',
  },
  {
    id: 'machine-ask-refused',
    promise: 'Nobody at the machine is asked about a call that it would refuse.',
    ...POLICY,
    find: "return looked.kind === 'failed' ? looked :",
    replace: "return looked.kind === 'failed' ? afterAsking(request, { why: '' }) :",
  },
  {
    id: 'machine-no-visible',
    promise: 'What somebody at the machine says with a no is told with everything in it visible.',
    ...POLICY,
    find: 'visible(note)',
    replace: 'note',
  },
];
