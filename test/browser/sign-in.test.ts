import { describe, expect, inject, it } from 'vitest';
import { signIn } from '../support/oauth-owner.ts';
import { expectLegible, focused, tabTo } from './legible.ts';
import { looks } from './looks.ts';
import { useBrowser } from './visit.ts';

const { rest, owner_key: ownerKey } = inject('product');
const visit = useBrowser();

describe.each(looks)('signing in, $look', ({ options }) => {
  it('turns a wrong key away in words and takes the right one', async () => {
    await visit({ options, statuses: [403] }, async (page, context) => {
      await page.goto(rest);
      expect(new URL(page.url()).pathname).toBe('/signin');
      await expectLegible(page);
      await signIn(page, `bwl_owner_${'x'.repeat(43)}`);
      const problem = page.getByRole('alert');
      await problem.waitFor();
      expect(await problem.innerText()).toContain('That is not the owner key.');
      expect(await page.getByLabel('Owner key').inputValue()).toBe('');
      expect(await page.content()).not.toContain('x'.repeat(43));
      await expectLegible(page);
      // As it is often pasted: with a line end.
      await signIn(page, ` ${ownerKey} `);
      await page.getByRole('heading', { name: 'Your Bowline is up' }).waitFor();
      await expectLegible(page);
      expect(await context.cookies()).toEqual([
        expect.objectContaining({
          name: '__Host-bowline',
          httpOnly: true,
          secure: true,
          sameSite: 'Lax',
          path: '/',
        }),
      ]);
    });
  });

  it('works by keyboard alone, and shows where the keyboard is', async () => {
    await visit({ options }, async (page) => {
      await page.goto(rest);
      expect(await focused(page)).toBe('Owner key');
      await page.keyboard.type(ownerKey);
      expect(await tabTo(page, 'Sign in')).toEqual(['Sign in']);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Your Bowline is up' }).waitFor();
      await page.waitForLoadState();
      const way = await tabTo(page, 'Bowline');
      expect(way).toEqual(['Skip to the page', 'Bowline']);
      // On a phone the pages are behind a button.
      if (await page.getByRole('button', { name: 'Menu' }).isVisible()) {
        await tabTo(page, 'Menu');
        await page.keyboard.press('Enter');
      }
      await tabTo(page, 'Connections');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Revoke everything' }).waitFor();
      await expectLegible(page);
      if (await page.getByRole('button', { name: 'Menu' }).isVisible()) {
        await tabTo(page, 'Menu');
        await page.keyboard.press('Enter');
      }
      await tabTo(page, 'Sign out');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Sign in to your Bowline' }).waitFor();
    });
  });
});

describe('a session', () => {
  it('begins where the owner was going, and never leads off this gateway', async () => {
    await visit({}, async (page, context) => {
      for (const [next, path] of [
        ['/connections', '/connections'],
        ['//127.0.0.1:1/x', '/'],
        ['/.//127.0.0.1:1/x', '/'],
        ['https://evil.example/', '/'],
        ['/\\evil.example', '/'],
      ] as const) {
        await page.goto(`${rest}/signin?next=${encodeURIComponent(next)}`);
        await signIn(page, ownerKey);
        await page.getByRole('navigation').waitFor();
        expect(page.url()).toBe(rest + path);
        // The same address leads a signed-in owner on at once.
        await page.goto(`${rest}/signin?next=${encodeURIComponent(next)}`);
        expect(page.url()).toBe(rest + path);
        await context.clearCookies();
      }
    });
  });

  it('is over for good when the owner signs out', async () => {
    await visit({}, async (page, context) => {
      await page.goto(`${rest}/signin?next=/connections`);
      await signIn(page, ownerKey);
      const [session] = await context.cookies();
      await page.getByRole('navigation').getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Owner key').waitFor();
      expect((await context.cookies()).map(({ name }) => name)).toEqual(['__Host-bowline-form']);
      // Neither the way back nor a copy of the cookie opens the page again.
      await page.goBack();
      await page.getByLabel('Owner key').waitFor();
      if (session) await context.addCookies([session]);
      await page.goto(`${rest}/connections`);
      expect(new URL(page.url()).pathname).toBe('/signin');
    });
  });
});
