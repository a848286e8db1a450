import type { Control } from './control.ts';

const STOLEN = ['stolen-session.test.ts'];
const APPROVALS = ['proof.test.ts'];

/** What a stolen session cookie cannot do: all that lasts or lets more happen asks for a fresh proof. */
export const proof: readonly Control[] = [
  {
    id: 'fresh-proof',
    promise: 'An open session alone is no proof, with or without a passkey.',
    in: 'hasFreshProof',
    find: 'session.provenAt !== null && isWithin(FRESH_MS, session.provenAt, now)',
    replace: 'session.createdAt < now + FRESH_MS',
    tests: [...APPROVALS, ...STOLEN],
  },
  {
    id: 'fresh-proof-time',
    promise: 'A proof is fresh for five minutes.',
    in: 'hasFreshProof',
    find: 'isWithin(FRESH_MS, session.provenAt, now)',
    replace: 'session.provenAt > 0',
    tests: APPROVALS,
  },
  {
    id: 'fresh-proof-session',
    promise: 'A proof counts only for the session that gave it.',
    in: 'proveSession',
    text: 'id_hash = ?, proven_at = ? WHERE id_hash = ?',
    replace: 'proven_at = ?2, id_hash = CASE id_hash WHEN ?3 THEN ?1 ELSE id_hash END',
    tests: APPROVALS,
  },
  {
    id: 'proof-new-secret',
    promise: 'A proof gives the session a new secret, so that a copied cookie ends with it.',
    in: 'proveSession',
    find: "newSecret('bwl_sess')",
    replace: 'secret',
    tests: ['sessions.test.ts', ...STOLEN],
  },
  {
    id: 'proof-forms',
    promise: 'Forms for lasting changes, or for changes that allow more, need a fresh proof.',
    in: 'formForOwner',
    remove: "if (needsOf(c.req.method, routePath(c)) === 'fresh' && !hasFreshProof(visit)) return ask();",
    tests: STOLEN,
  },
  {
    id: 'proof-api',
    promise: "Over the owner's API, lasting changes and changes that allow more need a fresh proof.",
    in: 'ownerOnly',
    remove:
      "if (needsOf(c.req.method, routePath(c)) === 'fresh' && !hasFreshProof(visit)) return failed(proofNeeded);",
    tests: STOLEN,
  },
  {
    id: 'proof-passkeys',
    promise: 'Registering a passkey needs a fresh proof.',
    in: 'passkeyRoutes',
    remove:
      "if (needsOf('POST', routePath(c)) === 'fresh' && !hasFreshProof(visit)) return failed(proofNeeded);",
    tests: STOLEN,
  },
  {
    id: 'proof-consent',
    promise: 'Letting an app in needs a fresh proof.',
    in: 'consentRoutes',
    remove: 'if (!hasFreshProof(visit)) return askForProof();',
    tests: STOLEN,
  },
  {
    id: 'proof-key',
    promise: 'The owner key that comes with a form is checked.',
    in: 'formForOwner',
    find: 'if (refused) return ask(refused);',
    replace: 'void refused;',
    tests: STOLEN,
  },
  {
    id: 'proof-undecided',
    promise: 'A kind of change that the code does not list needs a fresh proof.',
    in: 'needsOf',
    find: "method === 'GET' ? 'session' : 'fresh'",
    replace: "'session'",
    tests: STOLEN,
  },
  {
    id: 'proof-own-calls',
    promise: 'A session alone cannot approve a call that the console made.',
    in: 'whyNot',
    remove: 'asked.principal === OWNER_PRINCIPAL',
    tests: APPROVALS,
  },
];
