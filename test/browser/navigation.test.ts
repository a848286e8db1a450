import { describe, expect, inject, it } from 'vitest';
import { signIn } from '../support/oauth-owner.ts';
import { openAs } from './asking.ts';
import { expectLegible, focused } from './legible.ts';
import { phone } from './looks.ts';
import { useBrowser } from './visit.ts';

const { rest } = inject('product');
const visit = useBrowser();

const pathOf = (url: string) => new URL(url).pathname;

describe('the navigation', () => {
  it('has eight subjects, and shows the pages within the one that is open', async () => {
    await visit({}, async (page) => {
      await openAs(page, '/');
      const links = page.locator('#nav > a');
      expect(await links.count()).toBe(8);
      await page.goto(`${rest}/rules`);
      expect(await links.count()).toBe(9);
      expect(await page.locator('#nav [aria-current=page]').innerText()).toBe('Rules');
      await page.goto(`${rest}/connections`);
      await page.getByRole('link', { name: 'Connect', exact: true }).click();
      await page.getByRole('heading', { name: 'Connect', exact: true }).waitFor();
    });
  });

  it('goes by keys, which a page lists and a button switches off', async () => {
    await visit({}, async (page) => {
      await openAs(page, '/');
      await page.keyboard.press('?');
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
      await expectLegible(page);
      await page.keyboard.type('gl');
      await page.getByRole('heading', { name: 'Ledger' }).waitFor();
      // A page listens to keys once it has loaded.
      await page.waitForLoadState();
      await page.keyboard.press('/');
      expect(await focused(page)).toBe('Tool');
      // In a field they are letters.
      await page.keyboard.type('gh?');
      expect(await page.getByLabel('Tool').inputValue()).toBe('gh?');
      expect(pathOf(page.url())).toBe('/ledger');
      await page.goto(`${rest}/keys`);
      await page.getByRole('button', { name: 'Turn keys off' }).click();
      await page.getByRole('button', { name: 'Turn keys on' }).waitFor();
      await page.keyboard.type('gl?');
      await page.goto(`${rest}/approvals`);
      await page.keyboard.press('?');
      await page.getByRole('heading', { name: 'Approvals' }).waitFor();
      expect(pathOf(page.url())).toBe('/approvals');
    });
  });
});

describe('on a phone', () => {
  it('filters are folded, unless they are in use', async () => {
    await visit({ options: phone.options }, async (page) => {
      await openAs(page, '/ledger');
      expect(await page.getByLabel('Tool').isVisible()).toBe(false);
      await page.getByText('Filters').click();
      await page.getByLabel('Tool').waitFor();
      await expectLegible(page);
      await page.goto(`${rest}/ledger?tool=hello`);
      await page.getByLabel('Tool').waitFor();
    });
  });
});

describe('a device without the owner key', () => {
  it('signs in with a code that the console makes', async () => {
    let code = '';
    await visit({}, async (page) => {
      await openAs(page, '/connections');
      await page.getByRole('button', { name: 'Sign in on another device' }).click();
      const card = page.locator('section', { hasText: 'in place of the owner key' });
      code = await card.locator('code').innerText();
      await expectLegible(page);
    });
    await visit({ options: phone.options }, async (page) => {
      await page.goto(`${rest}/signin`);
      await signIn(page, code);
      await page.getByRole('heading', { name: 'Your Bowline is up' }).waitFor();
    });
  });
});
