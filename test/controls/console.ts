import type { Control } from './control.ts';

const DEPLOY = ['deploy.test.ts'];
const DOCTOR = ['examine.test.ts'];

/** The owner's pages, and the commands that hold the owner's keys. */
export const consoleAndCommands: readonly Control[] = [
  {
    id: 'page-session',
    promise: "Every page needs the owner's session.",
    in: 'forOwner',
    find: 'if (visit) return show(visit);',
    replace:
      "return show(visit ?? ({ session: { id: '', method: 'owner_key', createdAt: 0 }, secret: '', csrf: 'x' }));",
    tests: ['owner-only.test.ts'],
  },
  {
    id: 'page-form',
    promise: "Every change is a POST with the session's token from a page of ours.",
    in: 'formForOwner',
    find: "if (!isOwnForm(request, origin, visit.secret, form.get('csrf'))) return stale(visit);",
    replace: 'void origin;',
    tests: ['console/owner-pages.test.ts'],
  },
  {
    id: 'page-strangers-words',
    promise: 'Characters that are unseen or turn the reading direction are spelt out on every page.',
    in: 'UNSEEN',
    text: '[\\p{C}\\p{Z}',
    replace: '[\\p{Z}',
    tests: ['console/owner-pages.test.ts'],
  },
  {
    id: 'visible-ignorable',
    promise:
      'So are variation selectors, fillers and blanks that look like nothing, wherever an owner decides.',
    in: 'UNSEEN',
    text: '\\p{Default_Ignorable_Code_Point}\\u2800',
    replace: '',
    tests: ['visible.test.ts'],
  },
  {
    id: 'visible-complaints',
    promise: 'The command line spells them out in what others said.',
    in: 'complain',
    find: 'visible(message)',
    replace: 'message',
    tests: ['visible.test.ts'],
    only: 'complaint',
  },
  {
    id: 'visible-lines',
    promise: 'No name that a stranger chose makes a line of its own where a line is a row of ours.',
    in: 'visibleLine',
    body: 'return visible(text, maxChars);',
    tests: ['visible.test.ts', 'forged-rows.test.ts'],
  },
  {
    id: 'downloads',
    promise: 'Downloads of the memory are never shown as pages.',
    in: 'download',
    find: "'application/octet-stream'",
    replace: "'text/html'",
    tests: ['console/owner-pages.test.ts'],
  },
  {
    id: 'approval-link',
    promise: "The link to an approval is followed only if it is this gateway's own.",
    in: 'approvalPathOf',
    find: 'if (its === origin) return pathname;',
    replace: 'return pathname;',
    tests: ['page-parts.test.ts'],
  },
  {
    id: 'live-session',
    promise: '`/live` looks at the session again before it answers.',
    in: 'homeRoutes',
    find: "if (!(await ownerVisit(c.req.raw, owner()))) return seeOther('/signin'); return Response.json(news, { headers: { 'cache-control': 'no-store' } });",
    replace: "return Response.json(news, { headers: { 'cache-control': 'no-store' } });",
    tests: ['feed.test.ts'],
  },
  {
    id: 'feed-session',
    promise: 'What waits is told to nobody who was signed out while they waited.',
    in: 'gateOwnerRoutes',
    find: '(await ownerVisit(c.req.raw, auth.owner())) ? ok(news) : failed(signInRequired)',
    replace: 'ok(news)',
    tests: ['feed.test.ts'],
  },
  {
    id: 'service-worker-origin',
    promise: 'The service worker opens only addresses of this gateway.',
    in: 'openPage',
    remove: 'if (origin !== self.location.origin) return;',
    tests: ['page-parts.test.ts'],
  },
  {
    id: 'login-state',
    promise: "The command line takes a browser's code only with the state it was sent out with.",
    in: 'nextCode',
    remove: "url.searchParams.get('state') !== state",
    tests: ['callback.test.ts'],
  },
  {
    id: 'login-scheme',
    promise: 'The command line opens https pages alone, and http ones of this computer.',
    in: 'openable',
    remove: 'if (!isWeb || url.username || url.password) return undefined;',
    tests: ['browser.test.ts', 'login-opener.test.ts'],
  },
  {
    id: 'login-one-word',
    promise: 'An address reaches the opener as one word that no shell reads otherwise.',
    in: 'openable',
    find: "return url.href.replace(/[^A-Za-z0-9\\-._~:/?#[\\]@!&()*+,;=%]/gu, encodeURIComponent).replaceAll(\"'\", '%27');",
    replace:
      "return address; url.href.replace(/[^A-Za-z0-9\\-._~:/?#[\\]@!&()*+,;=%]/gu, encodeURIComponent).replaceAll(\"'\", '%27');",
    tests: ['browser.test.ts'],
  },
  {
    id: 'deploy-stdin',
    promise: 'Nothing of the owner is in the environment of what a deployment starts.',
    in: 'wranglerCommand',
    remove: 'BOWLINE_OWNER_KEY: _key',
    tests: DEPLOY,
    only: 'nothing secret',
  },
  {
    id: 'deploy-key-unshown',
    promise: 'An owner key that may not have been shown is made anew.',
    in: 'missingSecrets',
    find: "newOwnerKey || lacks('OWNER_KEY_HASH')",
    replace: "lacks('OWNER_KEY_HASH')",
    tests: DEPLOY,
    only: 'owner key',
  },
  {
    id: 'doctor-encryption',
    promise:
      "`bowline doctor` sends a key or token to no address without encryption but this computer's own.",
    in: 'examineGateway',
    find: "url.startsWith('https:') || isHere(url)",
    replace: 'true',
    tests: DOCTOR,
  },
];
