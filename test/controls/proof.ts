import type { Control } from './control.ts';

const STOLEN = ['test/worker/auth/stolen-session.test.ts'];
const APPROVALS = ['test/worker/gate/proof.test.ts'];

/** What a stolen session cookie cannot do: all that lasts or lets more happen asks for a fresh proof. */
export const proof: readonly Control[] = [
  {
    id: 'fresh-proof',
    promise: 'An open session is no proof by itself, whether or not there is a passkey.',
    file: 'src/owner/proof.ts',
    find: 'return session.provenAt !== null && now - session.provenAt < FRESH_MS;',
    replace: 'return session.createdAt < now + FRESH_MS;',
    tests: [...APPROVALS, ...STOLEN],
  },
  {
    id: 'fresh-proof-time',
    promise: 'A proof is fresh for five minutes.',
    file: 'src/owner/proof.ts',
    find: 'now - session.provenAt < FRESH_MS',
    replace: 'session.provenAt > 0',
    tests: APPROVALS,
  },
  {
    id: 'fresh-proof-session',
    promise: 'A proof counts for the session that gave it.',
    file: 'src/owner/sessions.ts',
    find: "'UPDATE session SET id_hash = ?, proven_at = ? WHERE id_hash = ?',\n    hashSecret(renewed),\n    now,",
    replace:
      "'UPDATE session SET proven_at = ?2, id_hash = CASE id_hash WHEN ?3 THEN ?1 ELSE id_hash END',\n    hashSecret(renewed),\n    now,",
    tests: APPROVALS,
  },
  {
    id: 'proof-new-secret',
    promise: 'A proof gives the session a new secret, so that a copied cookie ends with it.',
    file: 'src/owner/sessions.ts',
    find: "const renewed = newSecret('bwl_sess');",
    replace: 'const renewed = secret;',
    tests: ['test/worker/auth/sessions.test.ts', ...STOLEN],
  },
  {
    id: 'proof-forms',
    promise: 'Forms that last or let more happen are not heard without a fresh proof.',
    file: 'src/console/access/owner-page.tsx',
    find: "if (needsOf(c.req.method, routePath(c)) === 'fresh' && !hasFreshProof(visit)) return ask();",
    replace: '',
    tests: STOLEN,
  },
  {
    id: 'proof-api',
    promise: "The owner's API takes no change that lasts or lets more happen without a fresh proof.",
    file: 'src/owner/owner-http.ts',
    find: "if (needsOf(c.req.method, routePath(c)) === 'fresh' && !hasFreshProof(visit)) return failed(proofNeeded);",
    replace: '',
    tests: STOLEN,
  },
  {
    id: 'proof-passkeys',
    promise: 'A passkey is registered with a fresh proof alone.',
    file: 'src/api/passkey-routes.ts',
    find: "if (needsOf('POST', routePath(c)) === 'fresh' && !hasFreshProof(visit)) return failed(proofNeeded);",
    replace: '',
    tests: STOLEN,
  },
  {
    id: 'proof-consent',
    promise: 'An app is let in with a fresh proof alone.',
    file: 'src/console/access/consent-routes.tsx',
    find: 'if (!hasFreshProof(visit)) return askForProof();',
    replace: '',
    tests: STOLEN,
  },
  {
    id: 'proof-key',
    promise: 'The owner key that a form brings along is looked at.',
    file: 'src/console/access/owner-page.tsx',
    find: 'if (refused) return ask(refused);',
    replace: 'void refused;',
    tests: STOLEN,
  },
  {
    id: 'proof-undecided',
    promise: 'A change that nobody decided about asks for a fresh proof.',
    file: 'src/owner/owner-changes.ts',
    find: "(method === 'GET' ? 'session' : 'fresh')",
    replace: "'session'",
    tests: STOLEN,
  },
  {
    id: 'proof-own-calls',
    promise: 'A session alone approves nothing that the console asked for.',
    file: 'src/gate/gate.ts',
    find: 'asked.principal === OWNER_PRINCIPAL || ',
    replace: '',
    tests: APPROVALS,
  },
];
