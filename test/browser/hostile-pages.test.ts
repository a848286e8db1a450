import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { registerApp } from '../support/oauth-app.ts';
import { callback, type Loopback, loopback } from '../support/oauth-loopback.ts';
import { openConnections, useBrowser } from './visit.ts';

const { rest, owner_key: ownerKey } = inject('product');
const visit = useBrowser();

/** What the attacker's server answers with; each test sets it. */
let attack = '';
let attacker: Loopback;
let back: Awaited<ReturnType<typeof callback>>;
beforeAll(async () => {
  attacker = await loopback((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><link rel="icon" href="data:,">${attack}`);
  });
  back = await callback();
});
afterAll(() => Promise.all([attacker?.close(), back?.close()]));

describe('a page that frames ours', () => {
  it('gets nothing to show', async () => {
    const app = await registerApp(rest, { name: 'Framed', redirectUrl: back.redirectUrl });
    // It stands on the same host, so that the browser takes our cookies along.
    const origin = `http://localhost:${attacker.port}`;
    const complaints = /frame-ancestors|X-Frame-Options/;
    await visit({ origins: [origin], statuses: [400], complaints }, async (page) => {
      await openConnections(page);
      const targets = [
        app.ask().href,
        `${rest}/connections`,
        `${rest}/`,
        `${rest}/signin`,
        `${rest}/authorize`,
      ];
      attack = [...targets, `${rest}/healthz`]
        .map((url) => `<iframe src="${url.replaceAll('&', '&amp;')}"></iframe>`)
        .join('');
      await page.goto(origin);
      const [, ...frames] = page.frames();
      const shown = await Promise.all(frames.map((frame) => frame.locator('body').innerText()));
      // What is no page of ours can be framed, which shows that this way of looking works.
      expect(shown.at(-1)).toContain('"ok":true');
      expect(frames.slice(0, -1).map((frame) => frame.url())).toEqual(
        targets.map(() => 'chrome-error://chromewebdata/'),
      );
      expect(shown.join()).not.toMatch(/Bowline|Allow|Connections/);
    });
  });
});

describe('a page that sends our forms', () => {
  /** Everything that could have been changed. */
  const stateOf = (page: Page) =>
    page.evaluate(async () => {
      const access = await (await fetch('/api/owner/access')).json();
      const ids = (list: { id: string }[]) => list.map(({ id }) => id);
      return Object.fromEntries(
        Object.entries(access as Record<string, { id: string }[]>).map(([kind, list]) => [kind, ids(list)]),
      );
    });

  // A port is part of an origin but not of a site: the browser sends our cookies from the first.
  it.each(['localhost', '127.0.0.1'])(
    'changes nothing, from %s, even with the right ticket',
    async (host) => {
      const origin = `http://${host}:${attacker.port}`;
      const app = await registerApp(rest, { name: 'Let in', redirectUrl: back.redirectUrl });
      await visit({ origins: [origin, back.origin], statuses: [400, 401, 403] }, async (page, context) => {
        await openConnections(page);
        await page.goto(app.ask().href);
        await page.getByRole('button', { name: 'Allow' }).click();
        await page.waitForURL(`${back.redirectUrl}?*`);
        await back.answers.next();
        await page.goto(app.ask().href);
        const hidden = (name: string) => page.locator(`main input[name=${name}]`).inputValue();
        const [handle, csrf] = [await hidden('handle'), await hidden('csrf')];
        const home = await context.newPage();
        await home.goto(rest);
        const before = await stateOf(home);
        const answered = back.answers.count();
        const session = (await context.cookies()).find(({ name }) => name === '__Host-bowline');

        const token = { name: 'stolen', scope: 'read', days: '1' };
        const json = { '{"name":"stolen","scopes":["read"],"days":1,"x":"': '"}' };
        const forms: readonly [path: string, fields: Record<string, string>, type?: string][] = [
          ['/authorize', { handle, decision: 'approve', scope: 'read' }],
          ['/signin', { key: 'bwl_owner_guess', next: '/' }],
          ['/signout', {}],
          ['/connections/tokens', token],
          ['/connections/tokens/revoke', { id: before.tokens?.[0] ?? '' }],
          ['/connections/apps/revoke', { id: before.apps?.[0] ?? '' }],
          ['/connections/sessions/revoke', { id: before.sessions?.[0] ?? '' }],
          ['/connections/revoke-everything', {}],
          ['/api/owner/tokens', json, 'text/plain'],
          ['/api/owner/session', { [`{"key":"${ownerKey}","x":"`]: '"}' }, 'text/plain'],
          ['/api/owner/revoke-everything', {}],
        ];
        for (const [path, fields, type = 'application/x-www-form-urlencoded'] of forms) {
          attack = autoPost(`${rest}${path}`, type === 'text/plain' ? fields : { ...fields, csrf }, type);
          const sent = page.waitForResponse((response) => response.request().method() === 'POST');
          // The form leaves the page before it has loaded.
          await page.goto(origin, { waitUntil: 'commit' });
          const answer = await sent;
          const { cookie = '' } = await answer.request().allHeaders();
          expect([path, cookie.includes('__Host-bowline=')]).toEqual([path, host === 'localhost']);
          expect([path, answer.status()]).toEqual([path, expect.toSatisfy((status) => status >= 300)]);
          await page.waitForLoadState();
        }
        expect(await stateOf(home)).toEqual(before);
        expect((await context.cookies()).find(({ name }) => name === '__Host-bowline')).toEqual(session);
        expect(back.answers.count()).toBe(answered);
      });
    },
  );

  it('changes nothing by script either, nor reads the answers', async () => {
    const origin = `http://localhost:${attacker.port}`;
    const complaints = /CORS policy|ERR_FAILED/;
    await visit({ origins: [origin], statuses: [401, 403], complaints }, async (page, context) => {
      await openConnections(page);
      const csrf = await page.locator('header input[name=csrf]').inputValue();
      const before = await stateOf(page);
      attack = '';
      const evil = await context.newPage();
      await evil.goto(origin);
      const heard = await evil.evaluate(
        async ({ rest, csrf }) => {
          const body = '{"name":"stolen","scopes":["read"],"days":1}';
          const tries: [string, RequestInit][] = [
            ['/api/owner/access', {}],
            ['/connections', {}],
            ['/api/owner/tokens', { method: 'POST', mode: 'no-cors', body }],
            ['/api/owner/tokens', { method: 'POST', body, headers: { 'x-csrf-token': csrf } }],
            ['/api/owner/revoke-everything', { method: 'POST', mode: 'no-cors' }],
          ];
          return Promise.all(
            tries.map(([path, init]) =>
              fetch(rest + path, { credentials: 'include', ...init }).then(
                (response) => response.text(),
                () => 'refused',
              ),
            ),
          );
        },
        { rest, csrf },
      );
      // What comes back of a request in `no-cors` is empty to the page.
      expect(heard).toEqual(['refused', 'refused', '', 'refused', '']);
      expect(await stateOf(page)).toEqual(before);
    });
  });

  it('is refused when it hides where it comes from', async () => {
    const origin = `http://localhost:${attacker.port}`;
    await visit({ origins: [origin], statuses: [403] }, async (page) => {
      await openConnections(page);
      const csrf = await page.locator('header input[name=csrf]').inputValue();
      const form = autoPost(`${rest}/signout`, { csrf }, 'application/x-www-form-urlencoded');
      attack = `<meta name="referrer" content="no-referrer">${form}`;
      const sent = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.goto(origin, { waitUntil: 'commit' });
      const answer = await sent;
      expect((await answer.request().allHeaders()).origin).toBe('null');
      expect(answer.status()).toBe(403);
    });
  });
});

/** A form that sends itself. */
function autoPost(action: string, fields: Record<string, string>, type: string): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name='${name}' value='${value}'>`,
  );
  return `<form method="post" action="${action}" enctype="${type}">${inputs.join('')}</form><script>document.forms[0].submit()</script>`;
}
