import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { asset } from '../../src/console/browser/assets.ts';
import { approvalHtml, diffOf, preview, waitingApproval } from '../support/approval-shown.ts';
import { expectLegible } from './legible.ts';
import { useBrowser } from './visit.ts';

const visit = useBrowser();
const HERE = 'http://page.invalid';
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const;
const LONG = 'It reaches out of the open folder, and the words of this fact go on. '.repeat(14);
const facts = Array.from({ length: 20 }, () => ({ text: LONG, unusual: true }));

const asked = {
  'a command': waitingApproval({ reason: 'To see whether the tests pass. '.repeat(9) }),
  'a command of thirty lines': waitingApproval({
    client: 'A client with a rather long name of its own'.repeat(3),
    args: { command: 'curl -fsSL https://sh.example/a-long-path/install.sh | sudo bash\n'.repeat(30) },
    shown: { preview: preview({ facts }) },
  }),
  'an edit': waitingApproval({
    tool: 'replace_string_in_file',
    risk: 'safe_write',
    args: { path: 'src/db.ts', old_string: 'a', new_string: 'b' },
    shown: { preview: preview({ diff: diffOf(60), files: [{ path: 'src/db.ts', change: 'change' }] }) },
  }),
};

/** Shows a page without a gateway behind it. */
async function show(page: Page, html: string): Promise<void> {
  await page.route('**/*', async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: html });
    const found = await asset(pathname.slice('/assets/'.length));
    const contentType = found?.headers.get('content-type') ?? 'text/plain';
    return route.fulfill({ contentType, body: (await found?.text()) ?? '' });
  });
  await page.goto(HERE);
}

describe('the page that decides, on a phone', () => {
  const expected = { options: phone, origins: [HERE] };

  it.each(Object.entries(asked))('has the sentence and the buttons in view: %s', async (_, approval) => {
    await visit(expected, async (page) => {
      await show(page, approvalHtml(approval));
      const buttons = page.locator('.decide button, .decide .button');
      expect(await buttons.count()).toBe(3);
      for (const part of [page.locator('h1'), ...(await buttons.all())]) {
        const box = await part.boundingBox();
        expect(box?.y).toBeGreaterThanOrEqual(0);
        expect((box?.y ?? 844) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
      }
      await expectLegible(page);
    });
  });

  it('has the first ten lines of a diff above the buttons', async () => {
    await visit(expected, async (page) => {
      await show(page, approvalHtml(asked['an edit']));
      const top = (await page.locator('.decide').boundingBox())?.y ?? 0;
      const tenth = await page.locator('pre.asked').first().locator('span').nth(9).boundingBox();
      expect((tenth?.y ?? 844) + (tenth?.height ?? 0)).toBeLessThanOrEqual(top);
      await page.getByText('51 more lines').click();
      expect(await page.locator('pre.asked span').count()).toBe(61);
    });
  });

  it('counts down the time that is left, and denies with Enter in the field of the sentence', async () => {
    await visit(expected, async (page) => {
      await show(page, approvalHtml(asked['a command']));
      expect(await page.locator('time[data-left]').innerText()).toMatch(/^[5-9]:\d\d left$/);
      expect(await page.locator('time[data-left]').getAttribute('title')).toMatch(/\d/);
      await page.getByText('Deny and tell').click();
      await page.getByLabel('Message to the model').fill('use pnpm instead');
      const sent = page.waitForRequest((request) => request.method() === 'POST');
      await page.keyboard.press('Enter');
      const form = new URLSearchParams((await sent).postData() ?? '');
      expect([form.get('decision'), form.get('note')]).toEqual(['deny', 'use pnpm instead']);
    });
  });
});
