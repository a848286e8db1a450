import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { callTool, openAs } from './asking.ts';
import { expectLegible, tabTo } from './legible.ts';
import { looks } from './looks.ts';
import { useBrowser } from './visit.ts';

const { rest, token } = inject('product');
const visit = useBrowser();

const pages = [
  '/',
  '/approvals',
  '/ledger',
  '/ledger/1',
  '/rules',
  '/rules/new?from=1',
  '/notifications',
  '/settings',
];
const MAX_BYTES = 60 * 1024;
const hostile = '<b>x</b>"\u202eevil\u0000';

beforeAll(async () => {
  // Other files greet as well, and a rule here counts who was greeted.
  for (const name of ['Zelda', hostile]) await callTool('hello', { name });
  await callTool('read_repo_file', { path: 'nothing/here.md' });
});

describe.each(looks)('every page, $look', ({ options }) => {
  it('can be read by everybody, and asks nobody else', async () => {
    await visit({ options }, async (page) => {
      await openAs(page, '/');
      for (const path of pages) {
        const answer = await page.goto(rest + path);
        expect(answer?.status(), path).toBe(200);
        await expectLegible(page);
      }
      await page.goto(`${rest}/`);
      const menu = page.getByRole('button', { name: 'Menu' });
      if (await menu.isVisible()) {
        await menu.click();
        await expectLegible(page);
        await page.keyboard.press('Escape');
        await page.locator('#nav').waitFor({ state: 'hidden' });
      }
    });
  });
});

describe('every page', () => {
  it('weighs little and lets nothing in that is not ours', async () => {
    await visit({}, async (page) => {
      await openAs(page, '/');
      for (const path of pages) {
        const answer = await page.goto(rest + path, { waitUntil: 'load' });
        const bytes = await page.evaluate(() => {
          const loaded = performance.getEntries().filter((entry) => 'encodedBodySize' in entry);
          const first = loaded.filter(({ name }) => !name.includes('/live'));
          return first.reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0);
        });
        expect(bytes, path).toBeGreaterThan(1_000);
        // As it is; what is transferred is less, for it is compressed on the way.
        expect(bytes, path).toBeLessThan(MAX_BYTES);
        const policy = answer?.headers()['content-security-policy'] ?? '';
        expect(policy).toContain("default-src 'none'");
        expect(policy).not.toContain('unsafe');
      }
    });
  });

  it('is the owner’s alone', async () => {
    await visit({}, async (page) => {
      for (const path of pages) {
        await page.goto(rest + path);
        expect(new URL(page.url()).pathname, path).toBe('/signin');
      }
    });
  });

  it('can be skipped into by keyboard', async () => {
    await visit({}, async (page) => {
      await openAs(page, '/ledger');
      await tabTo(page, 'Skip to the page');
      await page.keyboard.press('Enter');
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    });
  });
});

describe('the ledger', () => {
  it('finds by tool, client and outcome, and shows one call whole', async () => {
    await visit({}, async (page) => {
      await openAs(page, '/ledger');
      await page.getByLabel('Tool').fill('read_repo_file');
      await page.getByLabel('Outcome').selectOption('failed');
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      const rows = page.locator('tbody tr');
      for (const text of await rows.allInnerTexts()) expect(text).toContain('read_repo_file');
      await rows.first().getByRole('link').click();
      await page.getByRole('heading', { name: 'read_repo_file' }).waitFor();
      expect(await page.locator('main').innerText()).toContain('"path": "nothing/here.md"');
      await page.goto(`${rest}/ledger?machine=no-such&client=%3Cb%3E%E2%80%AE`);
      await page.getByText('No matching calls').waitFor();
      expect(await page.getByLabel('Client').inputValue()).toBe('<b>\\u{202e}');
    });
  });

  it('shows what strangers wrote as what it is', async () => {
    await visit({}, async (page) => {
      await openAs(page, '/ledger?tool=hello');
      await page.locator('tbody tr').first().getByRole('link').click();
      const shown = await page.locator('pre').first().innerText();
      expect(shown).toContain('<b>x</b>\\"\\u{202e}evil\\u0000');
      expect(await page.locator('main b').count()).toBe(0);
    });
  });

  it('goes back page by page and to the newest again', async () => {
    await visit({}, async (page) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const calls = Array.from({ length: 60 }, () =>
        fetch(`${rest}/tools/hello`, { method: 'POST', headers, body: '{}' }),
      );
      await Promise.all(calls);
      await openAs(page, '/ledger?tool=hello');
      const seqs = () =>
        page
          .locator('tbody a')
          .evaluateAll((links) => links.map((link) => Number(link.getAttribute('href')?.split('/').at(-1))));
      const first = await seqs();
      expect(first).toHaveLength(50);
      await page.getByRole('link', { name: 'Older' }).click();
      await page.getByRole('link', { name: 'Newest' }).waitFor();
      const second = await seqs();
      expect(Math.max(...second)).toBeLessThan(Math.min(...first));
      await page.getByRole('link', { name: 'Newest' }).click();
      await page.waitForURL(`${rest}/ledger?tool=hello`);
    });
  });

  it('says what is wrong with a time', async () => {
    await visit({ statuses: [400] }, async (page) => {
      await openAs(page, '/ledger?from=soon');
      await page.getByText('That is not a time.').waitFor();
      await page.goto(`${rest}/ledger?from=2026-02-01T00:00&to=2026-01-01T00:00`);
      await page.getByText('must be before the second').waitFor();
    });
  });
});

describe('a rule', () => {
  /** Types, and waits until the page has said what it comes to. */
  const type = async (page: Page, label: string, text: string) => {
    const tried = page.evaluate(
      () =>
        new Promise((done) =>
          document.getElementById('rule')?.addEventListener('tried', done, { once: true }),
        ),
    );
    await page.getByLabel(label, { exact: true }).fill(text);
    await tried;
  };

  it('is tried on the past while it is typed, told what is wrong where it is, saved, switched and removed', async () => {
    await visit({ statuses: [400] }, async (page) => {
      await openAs(page, '/rules/new');
      await type(page, 'Tool', 'hullo');
      await page.getByText('There is no tool called').waitFor();
      expect(await page.getByLabel('Tool').getAttribute('aria-invalid')).toBe('true');
      await expectLegible(page);
      await type(page, 'Tool', 'hello');
      await type(page, 'Arguments, one per line', 'name ~ ^Z[a-z]+$');
      await type(page, 'Must match', '{"name":"Zelda"}');
      await page.getByRole('button', { name: 'Save rule' }).click();
      await page.locator('#problem-mustNot').getByText('no example of a call').waitFor();
      expect(await page.getByLabel('Must match').inputValue()).toBe('{"name":"Zelda"}');
      await type(page, 'Must not match', '{"name":"zelda"}');
      await page
        .locator('#verdict')
        .getByText(/^1 of the last \d+ calls$/)
        .waitFor();
      await page.getByRole('button', { name: 'Save rule' }).click();
      await page.waitForURL(/\/rules#rule_/);
      const card = page.locator('section.card').filter({ hasText: 'name matches' });
      await card.getByRole('button', { name: 'Turn off' }).click();
      await card.getByText('off', { exact: true }).waitFor();
      await card.getByRole('button', { name: 'Turn on' }).click();
      await card.getByRole('button', { name: 'Turn off' }).waitFor();
      await expectLegible(page);
      await card.getByRole('link', { name: 'Copy' }).click();
      expect(await page.getByLabel('Arguments, one per line', { exact: true }).inputValue()).toBe(
        'name ~ ^Z[a-z]+$',
      );
      await page.goBack();
      await card.getByRole('button', { name: 'Remove' }).click();
      await page.getByText('No rules yet').waitFor();
    });
  });

  it('is written with scripts off too', async () => {
    await visit({ options: { javaScriptEnabled: false } }, async (page) => {
      await openAs(page, '/rules/new?from=1');
      await page.getByLabel('Days until it expires').fill('0');
      await page.getByRole('button', { name: 'Test on past calls' }).click();
      await page.locator('#problem-days').getByText('end before it begins').waitFor();
      await page.getByLabel('When').selectOption('argv');
      await page.getByLabel('First words of the command').waitFor();
      await page.getByLabel('Arguments, one per line', { exact: true }).waitFor({ state: 'hidden' });
    });
  });
});

describe('settings', () => {
  it('are kept, and what does not fit is told at its field', async () => {
    await visit({ statuses: [400] }, async (page) => {
      await openAs(page, '/settings');
      await page.getByLabel('Maximum pending approvals').fill('30');
      await page.getByText(/^\d+ tools$/).click();
      await page.getByLabel('hello', { exact: true }).fill('1.5');
      // Browsers hold it back; the server does too.
      await page.locator('main form').evaluate((form: HTMLFormElement) => form.submit());
      await page.locator('#problem-hello').getByText('whole number').waitFor();
      await expectLegible(page);
      expect(await page.getByLabel('Maximum pending approvals').inputValue()).toBe('30');
      await page.getByLabel('hello', { exact: true }).fill('250');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      await page.goto(`${rest}/settings`);
      expect(await page.getByLabel('hello', { exact: true }).inputValue()).toBe('250');
      await page.getByLabel('hello', { exact: true }).fill('');
      await page.getByLabel('Maximum pending approvals').fill('20');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
    });
  });
});
