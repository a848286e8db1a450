/**
 * The proof that a change needs besides the owner's session:
 * - `fresh`: a proof of the last five minutes, because a stolen cookie would otherwise give lasting or greater power.
 * - `sometimes`: a fresh proof if the form or body lets more happen. The handler decides.
 * - `session`: no further proof. The change shuts something out, or changes nothing that lasts.
 */
export type Needs = 'fresh' | 'sometimes' | 'session';

/** Every route that changes something by the owner's session, and the few that show a secret. */
export const OWNER_ROUTES: Readonly<Record<string, Needs>> = {
  // The proof itself, and signing out.
  'POST /prove': 'fresh',
  'POST /passkeys/confirm/options': 'session',
  'POST /passkeys/confirm': 'session',
  'POST /signout': 'session',
  'DELETE /api/owner/session': 'session',

  // Lasting ways in. Closing one has to be quick.
  'POST /passkeys/register/options': 'fresh',
  'POST /passkeys/register': 'fresh',
  'POST /connections/passkeys/remove': 'fresh',
  'POST /connections/tokens': 'fresh',
  'POST /connections/code': 'fresh',
  'POST /api/owner/tokens': 'fresh',
  'POST /api/owner/sign-in-codes': 'fresh',
  // Letting an app in needs the proof; refusing it does not.
  'POST /authorize': 'sometimes',
  'POST /connections/tokens/revoke': 'session',
  'POST /connections/sessions/revoke': 'session',
  'POST /connections/apps/revoke': 'session',
  'POST /connections/revoke-everything': 'session',
  'DELETE /api/owner/tokens/:id': 'session',
  'DELETE /api/owner/sessions/:id': 'session',
  'DELETE /api/owner/apps/:id': 'session',
  'POST /api/owner/revoke-everything': 'session',

  // Approving needs the proof if the call is dangerous, came from the console, is to run always, or lends a
  // terminal. Denying does not.
  'POST /approvals/:code': 'sometimes',
  // Only denies.
  'POST /approvals': 'session',
  'POST /api/owner/approvals/:code': 'sometimes',
  // Taking a lent terminal back has to be quick.
  'POST /loans/take-back': 'session',
  'DELETE /api/owner/loans': 'session',
  'DELETE /api/owner/loans/:id': 'session',
  // Letting more through needs the proof: writing or switching on a yes, switching off or removing a no or a
  // question.
  'POST /rules': 'sometimes',
  'POST /rules/:id': 'sometimes',
  'POST /api/owner/rules': 'sometimes',
  'POST /api/owner/rules/:id': 'sometimes',
  'DELETE /api/owner/rules/:id': 'sometimes',
  'POST /rules/preview': 'session',
  'POST /api/owner/rules/preview': 'session',

  // Limits, and the address for notices. Some settings hold addresses and tokens that open a way.
  'POST /settings': 'fresh',
  'PUT /api/owner/settings/:name': 'fresh',
  'GET /api/owner/settings/:name': 'fresh',
  'POST /notifications/push': 'fresh',
  'POST /notifications/push/remove': 'fresh',
  'POST /notifications/webhooks': 'fresh',
  'POST /notifications/webhooks/remove': 'fresh',
  'POST /notifications/test': 'session',

  // Pairing needs the proof; denying does not. Calls and rules use machines' names.
  'POST /machines/pair': 'sometimes',
  'POST /api/owner/machines/pair/:code': 'sometimes',
  'POST /machines/rename': 'fresh',
  'POST /machines/default': 'fresh',
  'POST /api/owner/machines/:id': 'fresh',
  'POST /machines/revoke': 'session',
  'DELETE /api/owner/machines/:id': 'session',
  'POST /machines/health': 'session',
  'POST /api/owner/machines/:id/ping': 'session',

  // Joined servers: what they are, whose account they use, and which of their tools run with fewer questions.
  'POST /servers/add': 'fresh',
  'POST /servers/sign-in': 'fresh',
  'POST /servers/grade': 'sometimes',
  'POST /servers/accept': 'fresh',
  'POST /servers/check': 'session',
  'POST /servers/remove': 'session',
  'POST /api/owner/servers': 'fresh',
  'PUT /api/owner/servers/:name/token': 'fresh',
  'POST /api/owner/servers/:name/sign-in': 'fresh',
  'POST /api/owner/servers/:name/grade': 'sometimes',
  'POST /api/owner/servers/:name/proposals': 'fresh',
  'POST /api/owner/servers/:name/check': 'session',
  'DELETE /api/owner/servers/:name': 'session',

  // These decide which part of the repo every model reads. A push may take longer than its proof is valid.
  'POST /repo-settings': 'fresh',
  'PUT /api/owner/mirror/settings': 'fresh',
  'POST /api/mirror/pushes': 'fresh',
  'POST /api/mirror/pushes/:id/files': 'session',
  'POST /api/mirror/pushes/:id/blobs': 'session',

  // Every model reads the memory, and nothing is ever removed from it.
  'POST /api/owner/memory/entries': 'fresh',
  'POST /api/owner/memory/import': 'fresh',
  'POST /api/owner/restore': 'fresh',

  // Calls through the door, which asks as it asks any caller.
  'POST /catalogue/:name': 'session',
  'POST /ledger/:seq/undo': 'session',
};

/** Routes that do more than look, and never use the owner's session. */
const NOT_BY_SESSION: ReadonlySet<string> = new Set([
  'ALL /mcp',
  'ALL /mcp/',
  'ALL /oauth/*',
  'ALL /.well-known/oauth-authorization-server',
  'POST /tools/:name',
  'ALL /tools/:name',
  'POST /host/ask',
  'POST /hooks/github',
  'DELETE /api/token',
  'POST /api/pair',
  'POST /api/pair/status',
  'POST /api/memory/witness',
  // Signing in.
  'POST /signin',
  'POST /api/owner/session',
  'POST /passkeys/sign-in/options',
  'POST /passkeys/sign-in',
]);

/**
 * Gives what a route needs. Looking needs a session. A change that is not listed needs the strictest proof.
 */
export function needsOf(method: string, path: string): Needs {
  return OWNER_ROUTES[`${method} ${path}`] ?? (method === 'GET' ? 'session' : 'fresh');
}

/** Throws at start if a route that changes something is not in these lists. */
export function checkEveryChange(
  routes: readonly { readonly method: string; readonly path: string }[],
): void {
  const there = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const open = [...there].filter(
    (route) => !/^(GET|ALL \/\*)/.test(route) && !(route in OWNER_ROUTES) && !NOT_BY_SESSION.has(route),
  );
  const gone = [...Object.keys(OWNER_ROUTES), ...NOT_BY_SESSION].filter((route) => !there.has(route));
  if (open.length > 0)
    throw new Error(`Say in src/owner/owner-changes.ts what these need: ${open.join(', ')}`);
  if (gone.length > 0)
    throw new Error(`src/owner/owner-changes.ts names what is not there: ${gone.join(', ')}`);
}
