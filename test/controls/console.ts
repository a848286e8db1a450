import type { Control } from './control.ts';

const DEPLOY = ['test/node/deploy/deploy.test.ts'];
const DOCTOR = ['test/node/doctor/examine.test.ts'];

/** The owner's pages, and the commands that hold the owner's keys. */
export const consoleAndCommands: readonly Control[] = [
  {
    id: 'page-session',
    promise: "Every page needs the owner's session.",
    file: 'src/console/owner-page.tsx',
    find: 'if (visit) return show(visit);',
    replace:
      "return show(visit ?? ({ session: { id: '', method: 'owner_key', createdAt: 0 }, secret: '', csrf: 'x' }));",
    tests: ['test/worker/auth/owner-only.test.ts'],
  },
  {
    id: 'page-form',
    promise: "Every change is a POST with the session's token from a page of ours.",
    file: 'src/console/owner-page.tsx',
    find: "if (!isOwnForm(request, origin, visit.secret, form.get('csrf'))) return stale(visit);",
    replace: 'void origin;',
    tests: ['test/worker/console/owner-pages.test.ts'],
  },
  {
    id: 'page-strangers-words',
    promise: 'Characters that are unseen or turn the reading direction are spelt out on every page.',
    file: 'src/core/visible.ts',
    find: '|\\p{Cf}|',
    replace: '|',
    tests: ['test/worker/console/owner-pages.test.ts'],
  },
  {
    id: 'downloads',
    promise: 'Downloads of the memory are never shown as pages.',
    file: 'src/memory/memory-pages.tsx',
    find: "'content-type': 'application/octet-stream',",
    replace: "'content-type': 'text/html',",
    tests: ['test/worker/console/owner-pages.test.ts'],
  },
  {
    id: 'approval-link',
    promise: "The link to an approval is followed only if it is this gateway's own.",
    file: 'src/console/tool-run.ts',
    find: 'if (its === origin) return pathname;',
    replace: 'return pathname;',
    tests: ['test/node/console/page-parts.test.ts'],
  },
  {
    id: 'live-session',
    promise: '`/live` looks at the session again before it answers.',
    file: 'src/console/home-routes.tsx',
    find: "PULSE_MS);\n    if (!(await ownerVisit(c.req.raw, owner()))) return seeOther('/signin');",
    replace: 'PULSE_MS);',
    tests: ['test/worker/gate/feed.test.ts'],
  },
  {
    id: 'feed-session',
    promise: 'What waits is told to nobody who was signed out while they waited.',
    file: 'src/gate/owner-routes.ts',
    find: 'return (await ownerVisit(c.req.raw, auth.owner())) ? ok(news) : failed(signInRequired);',
    replace: 'return ok(news);',
    tests: ['test/worker/gate/feed.test.ts'],
  },
  {
    id: 'service-worker-origin',
    promise: 'The service worker opens only addresses of this gateway.',
    file: 'src/console/push-script.ts',
    find: 'if (url.origin !== self.location.origin) return;',
    replace: '',
    tests: ['test/node/console/page-parts.test.ts'],
  },
  {
    id: 'login-state',
    promise: "The command line takes a browser's code only with the state it was sent out with.",
    file: 'local-bridge/sign-in/callback.ts',
    find: " || url.searchParams.get('state') !== state",
    replace: '',
    tests: ['test/node/bridge/callback.test.ts'],
  },
  {
    id: 'login-scheme',
    promise: 'The command line opens https pages alone, and http ones of this computer.',
    file: 'local-bridge/sign-in/browser.ts',
    find: 'if (!isWeb || url.username || url.password) return undefined;',
    replace: '',
    tests: ['test/node/bridge/browser.test.ts', 'test/e2e/login-opener.test.ts'],
  },
  {
    id: 'login-one-word',
    promise: 'An address reaches the opener as one word that no shell reads otherwise.',
    file: 'local-bridge/sign-in/browser.ts',
    find: 'return url.href.replace(',
    replace: 'return address;\n  url.href.replace(',
    tests: ['test/node/bridge/browser.test.ts'],
  },
  {
    id: 'deploy-stdin',
    promise: 'Nothing of the owner is in the environment of what a deployment starts.',
    file: 'local-bridge/deploy/wrangler-command.ts',
    find: 'BOWLINE_OWNER_KEY: _key,',
    replace: '',
    tests: DEPLOY,
    only: 'nothing secret',
  },
  {
    id: 'deploy-key-unshown',
    promise: 'An owner key that may not have been shown is made anew.',
    file: 'local-bridge/deploy/secrets.ts',
    find: "newOwnerKey || lacks('OWNER_KEY_HASH')",
    replace: "lacks('OWNER_KEY_HASH')",
    tests: DEPLOY,
    only: 'owner key',
  },
  {
    id: 'doctor-encryption',
    promise:
      "`bowline doctor` sends a key or token to no address without encryption but this computer's own.",
    file: 'local-bridge/doctor/examine.ts',
    find: "const isPrivate = url.startsWith('https:') || isHere(url);",
    replace: 'const isPrivate = true;',
    tests: DOCTOR,
  },
];
