import type { Control } from './control.ts';
import { proof } from './proof.ts';

/** What only the owner may do, and how they show that it is them. */
export const owner: readonly Control[] = [
  {
    id: 'owner-session',
    promise: "The owner's API needs the owner's session.",
    in: 'ownerOnly',
    find: 'await ownerVisit(c.req.raw, owner())',
    replace:
      "(await ownerVisit(c.req.raw, owner())) ?? ({ session: { id: '', method: 'owner_key', createdAt: 0 }, secret: '', csrf: '' })",
    tests: ['owner-only.test.ts'],
  },
  {
    id: 'owner-api-csrf',
    promise: "Every change over the owner's API needs the session's CSRF token.",
    in: 'ownerOnly',
    find: "c.req.method !== 'GET'",
    replace: 'false',
    tests: ['owner-only.test.ts'],
  },
  {
    id: 'form-csrf',
    promise: 'Every form carries a CSRF token of its session.',
    in: 'isOwnForm',
    find: 'sameHash(csrf, csrfTokenFor(cookie))',
    replace: 'true',
    tests: ['doors.test.ts'],
  },
  {
    id: 'form-origin',
    promise: 'A form counts only from a page of ours, by its `Origin`.',
    in: 'fromOwnPage',
    remove: 'from === null || from === origin',
    tests: ['decide-attacks.test.ts'],
  },
  {
    id: 'form-fetch-site',
    promise: 'A form counts only from a page of ours, by `Sec-Fetch-Site`.',
    in: 'fromOwnPage',
    remove: "site === null || site === 'same-origin' || site === 'none'",
    tests: ['decide-attacks.test.ts'],
  },
  {
    id: 'safe-return',
    promise: 'Signing in leads on to a page of this gateway and nowhere else.',
    in: 'safeReturn',
    find: 'url?.origin !== origin',
    replace: '!url',
    tests: ['safe-return.test.ts'],
  },
  {
    id: 'csp-scripts',
    promise: 'The CSP lets no inline script run.',
    in: 'securityHeaders',
    find: '"script-src \'self\'"',
    replace: "\"script-src 'self' 'unsafe-inline'\"",
    tests: ['auth/pages.test.ts'],
  },
  {
    id: 'csp-default',
    promise: 'The CSP lets nothing load that it does not name.',
    in: 'securityHeaders',
    remove: '"default-src \'none\'"',
    tests: ['auth/pages.test.ts'],
  },
  {
    id: 'csp-forms',
    promise: 'The CSP lets forms go to this gateway alone.',
    in: 'securityHeaders',
    remove: '"form-action \'self\'"',
    tests: ['auth/pages.test.ts'],
  },
  {
    id: 'framing-csp',
    promise: 'No page may be framed (`frame-ancestors`).',
    in: 'securityHeaders',
    remove: '"frame-ancestors \'none\'"',
    tests: ['auth/pages.test.ts'],
  },
  {
    id: 'framing-header',
    promise: 'No page may be framed by an old browser either (`X-Frame-Options`).',
    in: 'securityHeaders',
    remove: "'x-frame-options': 'DENY'",
    tests: ['auth/pages.test.ts'],
  },
  {
    id: 'nosniff',
    promise: 'No browser guesses what a page of ours is.',
    in: 'securityHeaders',
    remove: "'x-content-type-options': 'nosniff'",
    tests: ['auth/pages.test.ts'],
  },
  ...proof,
];
