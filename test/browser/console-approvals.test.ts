import { beforeEach, describe, expect, inject, it } from 'vitest';
import { SOON_MS } from '../support/soon.ts';
import { askFor, clearTheDesk, openAs, waitingCodes } from './asking.ts';
import { expectLegible, tabTo } from './legible.ts';
import { looks, phone } from './looks.ts';
import { useBrowser } from './visit.ts';

const { rest } = inject('product');
const visit = useBrowser();

beforeEach(() =>
  visit({}, async (page) => {
    await openAs(page, '/approvals');
    await clearTheDesk(page);
  }),
);

describe('a call that waits', () => {
  it('shows up on open pages by itself, without anybody touching them', async () => {
    await visit({}, async (page, context) => {
      await openAs(page, '/approvals');
      const home = await context.newPage();
      await home.goto(rest);
      await page.bringToFront();
      // Armed in the page, so that nothing is measured but the way from the call to the eye.
      const seen = page.evaluate(() => {
        const part = document.getElementById('approvals');
        return new Promise<number>((done) => {
          new MutationObserver(() => {
            if (part?.textContent?.includes('Shows up by itself')) done(Date.now());
          }).observe(document.body, { subtree: true, childList: true });
        });
      });
      // The page listens once it has heard how things stand.
      await page.waitForFunction(() => document.documentElement.dataset.listens === '1');
      const began = Date.now();
      const outcome = askFor('Shows up by itself');
      expect((await seen) - began).toBeLessThan(SOON_MS);
      await page.getByText('1 call waits for you').waitFor({ state: 'attached' });
      expect(await page.title()).toBe('(1) Approvals · Bowline');
      expect(await page.locator('[data-waiting]').innerText()).toBe('1');
      await home.locator('.ask a:not(.button)').waitFor();
      await home.close();

      // Decided somewhere else, it leaves as it came.
      const [code = ''] = await waitingCodes(page);
      const other = await context.newPage();
      await other.goto(`${rest}/approvals/${code}`);
      await other.getByRole('button', { name: 'Approve once' }).click();
      await other.getByText('approved').first().waitFor();
      await other.close();
      expect(await outcome).toMatchObject({ success: true });
      await page.getByText('Nothing waits for you').waitFor();
      // Others may have been decided before, so it is looked for in its own row.
      await page.getByRole('row').filter({ hasText: code }).getByText('approved, and it ran').waitFor();
    });
  });

  it('leaves the focus and the unfolded where they are when others come', async () => {
    await visit({}, async (page) => {
      await openAs(page, '/approvals');
      void askFor('The first');
      const first = page.locator('.ask a:not(.button)');
      await first.waitFor();
      await first.focus();
      const name = await first.innerText();
      void askFor('The second');
      await expect.poll(() => page.locator('.ask').count(), { timeout: 20_000 }).toBe(2);
      expect(await page.evaluate(() => (document.activeElement as HTMLElement).innerText)).toBe(name);
      await clearTheDesk(page);
    });
  });
});

describe.each(looks)('deciding, $look', ({ look, options }) => {
  it('approves with everything in view', async () => {
    await visit({ options }, async (page) => {
      await openAs(page, '/approvals');
      const outcome = askFor(`Kept by a thumb, ${look}`);
      await page.locator('.ask a:not(.button)').click();
      await page.getByText('Kept by a thumb').first().waitFor();
      await expectLegible(page);
      await page.getByRole('button', { name: 'Approve once' }).click();
      expect(await outcome).toMatchObject({ success: true });
      await page.getByText('approved, and it ran').waitFor();
      await page.goto(`${rest}/approvals`);
      await expectLegible(page);
    });
  });
});

describe('deciding', () => {
  it('denies by keyboard alone', async () => {
    await visit({}, async (page) => {
      await openAs(page, '/approvals');
      const outcome = askFor('Denied by keys');
      await page.locator('.ask a:not(.button)').waitFor();
      await tabTo(page, (await page.locator('.ask a:not(.button)').innerText()).trim());
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/approvals\/\w/);
      await tabTo(page, 'Deny');
      await page.keyboard.press('Enter');
      await page.getByText('denied').first().waitFor();
      expect(await outcome).toMatchObject({ code: 'approval_denied' });
    });
  });

  it('works with scripts off, on a phone', async () => {
    await visit({ options: { ...phone.options, javaScriptEnabled: false } }, async (page) => {
      await openAs(page, '/approvals');
      const outcome = askFor('No scripts here');
      // Without scripts the page is asked again by hand.
      await expect
        .poll(
          async () => {
            await page.reload();
            return page.locator('.ask a:not(.button)').count();
          },
          { timeout: 20_000 },
        )
        .toBe(1);
      await page.locator('.ask a:not(.button)').click();
      await page.getByRole('button', { name: 'Approve once' }).click();
      expect(await outcome).toMatchObject({ success: true });
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('link', { name: 'Ledger' }).click();
      await page.getByRole('heading', { name: 'Ledger' }).waitFor();
    });
  });

  it('“Always…” writes the rule that was chosen, for as long as was said', async () => {
    await visit({}, async (page) => {
      await openAs(page, '/approvals');
      const outcome = askFor('Always this');
      await page.locator('.ask a:not(.button)').click();
      await page.getByRole('link', { name: 'Always…' }).click();
      await page.getByLabel('Entries of').check();
      await page.getByRole('button', { name: 'For an hour' }).click();
      expect(await outcome).toMatchObject({ success: true });
      await page.goto(`${rest}/rules`);
      const card = page.locator('section.card').filter({ hasText: 'file is "decisions.jsonl"' });
      await card.getByRole('button', { name: 'Remove' }).click();
      await page.getByText('No rules yet').waitFor();
    });
  });

  it('shows hostile text as what it is', async () => {
    const hostile = '<script>alert(1)</script><img src=x onerror=alert(2)> \u202egnp.exe\u0000\u2066';
    await visit({ options: phone.options }, async (page) => {
      await openAs(page, '/approvals');
      const outcome = askFor(hostile);
      await page.locator('.ask a:not(.button)').waitFor();
      await expectLegible(page);
      await page.locator('.ask a:not(.button)').click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      const text = await page.locator('main').innerText();
      expect(text).toContain('<script>alert(1)</script><img src=x onerror=alert(2)>');
      expect(text).toContain('\\u{202e}gnp.exe');
      expect(text).not.toMatch(/[\u202e\u2066]/);
      expect(await page.locator('main script, main img').count()).toBe(0);
      await expectLegible(page);
      await page.getByRole('button', { name: 'Deny' }).click();
      expect(await outcome).toMatchObject({ code: 'approval_denied' });
    });
  });
});
