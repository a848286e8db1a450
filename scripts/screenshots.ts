import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from '../test/support/browser.ts';
import { registerApp } from '../test/support/oauth-app.ts';
import { signIn } from '../test/support/oauth-owner.ts';
import { startUp } from '../test/support/up.ts';

/** Writes pictures of the owner's pages to `docs/screenshots/`, taken of the running product. */
const FOLDER = join(import.meta.dirname, '..', 'docs', 'screenshots');
const MAX_BYTES = 80 * 1024;
/** How far down a long page is shown. */
const MAX_HEIGHT = 1_100;

const looks: Record<string, BrowserContextOptions> = {
  light: { colorScheme: 'light', viewport: { width: 900, height: 620 } },
  dark: { colorScheme: 'dark', viewport: { width: 900, height: 620 } },
  phone: { colorScheme: 'light', viewport: { width: 375, height: 720 }, isMobile: true, hasTouch: true },
};
const CLAUDE = 'https://claude.ai/api/mcp/auth_callback';

const home = mkdtempSync(join(tmpdir(), 'bowline-screenshots-'));
const starting = startUp({ home });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => starting.then(({ stop }) => stop()).finally(() => process.exit(1)));
}
const [up, browser] = await Promise.all([starting, openBrowser()]);
const { rest, owner_key } = up.ready;
mkdirSync(FOLDER, { recursive: true });
try {
  const app = await registerApp(rest, { name: 'Claude', redirectUrl: CLAUDE });
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
    await page.goto(`${rest}/connections`);
    await take(page, `connections-${look}`);
    await page.goto(rest);
    await take(page, `home-${look}`);
    await context.close();
  }
} finally {
  await browser.close();
  await up.stop();
  rmSync(home, { recursive: true, force: true });
}

async function take(page: Page, name: string): Promise<void> {
  const path = join(FOLDER, `${name}.png`);
  await page.waitForLoadState();
  const [width, height] = await page.evaluate(() => [innerWidth, document.documentElement.scrollHeight]);
  const clip = { x: 0, y: 0, width: width ?? 0, height: Math.min(height ?? 0, MAX_HEIGHT) };
  await page.screenshot({ path, fullPage: true, clip });
  const { size } = statSync(path);
  if (size > MAX_BYTES) throw new Error(`${path} has ${size} bytes; ${MAX_BYTES} are the limit.`);
  console.log(`${name}.png  ${Math.ceil(size / 1024)} KB`);
}
