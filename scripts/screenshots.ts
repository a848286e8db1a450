import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from '../test/support/browser.ts';
import { registerApp } from '../test/support/oauth-app.ts';
import { signIn } from '../test/support/oauth-owner.ts';
import { startUp } from '../test/support/up.ts';
import { makeRepo, work } from './screenshots-data.ts';

/** Writes pictures of the owner's pages to `docs/screenshots/`, taken of the running product. */
const FOLDER = join(import.meta.dirname, '..', 'docs', 'screenshots');
const MAX_BYTES = 140 * 1024;
/** The most of a long page that a picture shows. */
const MAX_HEIGHT = 860;

const looks: Record<string, BrowserContextOptions> = {
  light: { colorScheme: 'light', viewport: { width: 1080, height: 700 } },
  dark: { colorScheme: 'dark', viewport: { width: 1080, height: 700 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true },
};
const CLAUDE = 'https://claude.ai/api/mcp/auth_callback';

/** The owner's pages by the names of their pictures, and which of them to show on a phone. */
const pages: readonly (readonly [name: string, path: string, onPhone?: true])[] = [
  ['home', '/', true],
  ['approvals', '/approvals', true],
  ['ledger', '/ledger'],
  ['rules', '/rules'],
  ['memory', '/memory', true],
  ['repo', '/repo/docs/plan.md'],
  ['machines', '/machines'],
  ['tools', '/catalogue'],
  ['tool', '/catalogue/write_memory_entry?example=0'],
  ['connect', '/connect', true],
  ['connections', '/connections', true],
];

const scratch = mkdtempSync(join(tmpdir(), 'bowline-screenshots-'));
const home = join(scratch, 'home');
const root = join(scratch, 'garden');
for (const folder of [home, root]) mkdirSync(folder);
makeRepo(root);
const starting = startUp({ home, args: ['--root', root] });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => starting.then(({ stop }) => stop()).finally(() => process.exit(1)));
}
const [up, browser] = await Promise.all([starting, openBrowser()]);
const { rest, owner_key } = up.ready;
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
try {
  const app = await registerApp(rest, { name: 'Claude', redirectUrl: CLAUDE });
  let isWorkedIn = false;
  for (const [look, options] of Object.entries(looks)) {
    const context = await browser.newContext(options);
    // Claude is let in, but the browser does not go there.
    await context.route(`${rest}/authorize`, async (route) => {
      await route.fetch({ maxRedirects: 0 });
      await route.fulfill({ body: 'Done.' });
    });
    const page = await context.newPage();
    await page.goto(`${rest}/signin`);
    await take(page, `sign-in-${look}`);
    await page.goto(app.ask().href);
    await signIn(page, owner_key);
    await page.getByRole('button', { name: 'Let it in' }).waitFor();
    await take(page, `consent-${look}`);
    await page.getByRole('button', { name: 'Let it in' }).click();
    await page.getByText('Done.').waitFor();
    await page.goto(`${rest}/setup`);
    if (look !== 'phone') await take(page, `set-up-${look}`);
    if (!isWorkedIn) await work(page, rest);
    isWorkedIn = true;
    for (const [name, path, onPhone] of pages) {
      if (look === 'phone' && !onPhone) continue;
      await page.goto(rest + path);
      await take(page, `${name}-${look}`);
    }
    await page.goto(`${rest}/approvals`);
    await page.locator('main a[href^="/approvals/"]').first().click();
    await page.getByRole('button', { name: /^Approve/ }).waitFor();
    await take(page, `approval-${look}`);
    await context.close();
  }
} finally {
  await browser.close();
  await up.stop();
  rmSync(scratch, { recursive: true, force: true });
}

async function take(page: Page, name: string): Promise<void> {
  const path = join(FOLDER, `${name}.png`);
  await page.waitForLoadState();
  const before = page.viewportSize() ?? { width: 1080, height: 700 };
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  // Make the window as tall as the page instead of taking a larger picture, so that sticky parts stay at its edges.
  await page.setViewportSize({ width: before.width, height: Math.min(whole, MAX_HEIGHT) });
  await page.screenshot({ path, animations: 'disabled' });
  await page.setViewportSize(before);
  const { size } = statSync(path);
  if (size > MAX_BYTES) throw new Error(`${path} has ${size} bytes; ${MAX_BYTES} are the limit.`);
  console.log(`${name}.png  ${Math.ceil(size / 1024)} KB`);
}
