import { describe, expect, it } from 'vitest';
import { TEST_OWNER_KEY } from '../../support/owner-key.ts';
import { GATEWAY, send } from '../http.ts';
import { approve, authorizePath, browser, openConsent, registered, signedIn, signInAs } from './support.ts';

/** Every page there is, by what leads to it. */
const pages: [name: string, status: number, open: () => Promise<Response>][] = [
  ['the sign-in form', 200, () => send('/signin')],
  ['the sign-in form after a wrong key', 403, () => signInAs(browser(), 'wrong')],
  ['the sign-in form after a stale one', 403, () => browser().submit('/signin', { key: TEST_OWNER_KEY })],
  [
    'the sign-in form after too many wrong keys',
    429,
    async () => {
      const visitor = browser();
      for (let i = 0; i < 5; i++) await signInAs(visitor, 'wrong');
      return signInAs(visitor, 'wrong');
    },
  ],
  ['the first page', 200, async () => (await signedIn()).send('/')],
  ['the connections', 200, async () => (await signedIn()).send('/connections')],
  [
    'the connections with a new token',
    200,
    async () => {
      const visitor = await signedIn();
      const fields = { csrf: visitor.csrf, name: 'x', scope: ['read'], days: '1' };
      return visitor.submit('/connections/tokens', fields);
    },
  ],
  [
    'the connections with a complaint',
    400,
    async () => {
      const visitor = await signedIn();
      return visitor.submit('/connections/tokens', { csrf: visitor.csrf });
    },
  ],
  [
    'the connections after a stale form',
    403,
    async () => (await signedIn()).submit('/connections/tokens', {}),
  ],
  ['the consent page', 200, async () => (await signedIn()).send(authorizePath(await registered()))],
  ['a refusal of an app', 400, async () => (await signedIn()).send(authorizePath('nobody'))],
  ['a refusal of an approval', 400, () => browser().submit('/authorize', {})],
  [
    'a refusal of a used page',
    400,
    async () => {
      const visitor = await signedIn();
      const consent = await openConsent(visitor, await registered());
      await approve(visitor, consent);
      return approve(visitor, consent);
    },
  ],
];

/** The directives of a policy, by name; none may be given twice, since only the first would count. */
function policyOf(response: Response): Map<string, string> {
  const text = response.headers.get('content-security-policy') ?? '';
  expect(text).not.toContain(',');
  const pairs = text.split(';').map((part) => {
    const [name = '', ...values] = part.trim().split(/\s+/);
    return [name, values.join(' ')] as const;
  });
  const policy = new Map(pairs);
  expect(policy.size).toBe(pairs.length);
  return policy;
}

describe.each(pages)('%s', (name, status, open) => {
  it('may load nothing but what is ours, and run nothing that stands in it', async () => {
    const response = await open();
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const { 'form-action': formAction, ...rest } = Object.fromEntries(policyOf(response));
    expect(rest).toEqual({
      'default-src': "'none'",
      'style-src': "'self'",
      'script-src': "'self'",
      'img-src': "'self' data:",
      'connect-src': "'self'",
      'manifest-src': "'self'",
      'worker-src': "'self'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
    });
    // Browsers hold what follows a form to this as well, and consent leads on to the app, and further.
    expect(formAction).toBe(name === 'the consent page' ? undefined : "'self'");
  });

  it('may be framed, kept and guessed at by nobody', async () => {
    const { headers } = await open();
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('access-control-allow-origin') ?? GATEWAY).toBe(GATEWAY);
    expect(headers.has('access-control-allow-credentials')).toBe(false);
  });

  it('is made of nothing that its policy would stop, and sends its forms nowhere else', async () => {
    const html = await (await open()).text();
    expect(html).toMatch(/^<!doctype html><html lang="en">/);
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|<iframe|<object|<embed|<base|http-equiv/i);
    for (const [tag] of html.matchAll(/<script[^>]*>/g))
      expect(tag).toMatch(/^<script src="\/assets\/[\w.-]+"/);
    for (const [, target = ''] of html.matchAll(/\s(?:src|href|action|formaction)="([^"]*)"/g)) {
      expect(target).toMatch(/^(?:\/(?!\/)|#)/);
    }
    for (const [form] of html.matchAll(/<form[^>]*>/g)) {
      expect(form).toMatch(/method="post" action="\/|data-passkey=/);
    }
  });
});

describe('what is not a page', () => {
  it.each(['/', '/connections', '/signin'])('leads on without a body and is not kept: %s', async (path) => {
    const visitor = path === '/signin' ? await signedIn() : browser();
    const response = await visitor.send(path);
    expect(response.status).toBe(303);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toBe('');
  });

  it.each([
    ['console.css', 'text/css; charset=utf-8'],
    ['passkeys.js', 'text/javascript; charset=utf-8'],
    ['mark.svg', 'image/svg+xml; charset=utf-8'],
  ])('is of the type that it says: /assets/%s', async (name, type) => {
    const response = await send(`/assets/${name}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each(['constructor', '__proto__', 'toString', '..%2fworker.ts', 'console.css%00'])(
    'is not there under a name that only looks like one: /assets/%s',
    async (name) => {
      expect((await send(`/assets/${name}`)).status).toBe(404);
    },
  );

  it('is not kept either where it is the owner’s', async () => {
    const response = await (await signedIn()).send('/api/owner/access');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect((await send('/api/owner/access')).headers.get('cache-control')).toBe('no-store');
  });
});
