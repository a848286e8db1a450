import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { AT_LENGTH } from '../support/at-length.ts';
import { callTool, openAs, waitingCodes } from './asking.ts';
import { expectLegible } from './legible.ts';
import { looks } from './looks.ts';
import { useBrowser } from './visit.ts';

const { rest } = inject('product');
const visit = useBrowser();
const narrow = {
  look: 'on a narrow phone',
  options: {
    colorScheme: 'dark',
    viewport: { width: 320, height: 640 },
    isMobile: true,
    hasTouch: true,
  } as const,
};

/** Takes a picture where one is asked for. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.LENT_PICTURES;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name.replaceAll(' ', '-')}.png`), fullPage: true });
}

describe('a terminal that its owner lends', () => {
  it.each(AT_LENGTH ? [...looks, narrow] : looks)(
    'is lent, shown live and taken back, $look',
    async ({ look, options }) => {
      await visit({ options }, async (page, context) => {
        await openAs(page, '/approvals');
        const session = `t-${randomUUID().slice(0, 8)}`;
        const started = callTool('terminal_start', { session });
        await page.locator('.ask').getByText(session).first().waitFor();
        const [code = ''] = await waitingCodes(page);
        await page.goto(`${rest}/approvals/${code}`);
        await picture(page, `asked ${look}`);
        await page.getByRole('link', { name: 'Longer…' }).click();
        await expectLegible(page);
        await picture(page, `lend ${look}`);
        await page.getByRole('button', { name: 'Approve and lend it' }).click();
        expect(await started).toMatchObject({ success: true });

        await page.goto(rest);
        const lent = page.locator('#lent');
        await lent.getByText('nothing typed yet').waitFor();
        await page.waitForFunction(() => document.documentElement.dataset.listens === '1');
        // It runs while the page is open, and nobody touches the page.
        const typed = { session, text: 'echo "<b>lent</b>" && sleep 0', program: false };
        expect(await callTool('terminal_send', typed)).toMatchObject({ success: true });
        await lent.getByText('typed once').waitFor();
        await lent.getByText('echo "<b>lent</b>" && sleep 0').waitFor();
        await callTool('terminal_send', { session, keys: ['ctrl-c'] });
        await lent.getByText('typed 2 times').waitFor();
        await expectLegible(page);
        await picture(page, `lent ${look}`);

        const machines = await context.newPage();
        await machines.goto(`${rest}/machines`);
        await machines.locator('#lent').getByText(session).waitFor();
        await machines.waitForFunction(() => document.documentElement.dataset.listens === '1');
        await picture(machines, `machines ${look}`);
        await page.bringToFront();
        await page.getByRole('button', { name: `Take back ${session}` }).click();
        await lent.getByText(session).waitFor({ state: 'detached' });
        await machines.bringToFront();
        await machines.locator('#lent').getByText(session).waitFor({ state: 'detached' });
        await machines.close();
        await callTool('terminal_stop', { session });
      });
    },
  );
});
