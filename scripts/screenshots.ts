import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { startStandIns } from '../test/suite/stand-ins.ts';
import { openBrowser } from '../test/support/browser.ts';
import { registerApp } from '../test/support/oauth-app.ts';
import { signIn } from '../test/support/oauth-owner.ts';
import { startUp } from '../test/support/up.ts';
import { askForEach, leave, makeRepo, unload, work } from './screenshots-data.ts';

/** Writes pictures of the owner's pages to `docs/screenshots/`, taken of the running product. */
const FOLDER = join(import.meta.dirname, '..', 'docs', 'screenshots');
const MAX_BYTES = 120 * 1024;
/** The height at which a picture of a long page is cut. */
const MAX_HEIGHT = 780;
/** A computer that does other things as well may take so long for one step. */
const SLOW_MS = 180_000;

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

/** Takes only the pictures whose names begin so, and leaves the others as they are. */
const only = process.argv[2] ?? '';
const scratch = mkdtempSync(join(tmpdir(), 'bowline-screenshots-'));
const home = join(scratch, 'home');
const root = join(scratch, 'garden');
for (const folder of [home, root]) mkdirSync(folder);
makeRepo(root);
const standIns = await startStandIns(home);
writeFileSync(join(home, 'bridge.json'), JSON.stringify({ mlx: standIns.mlx }));
const starting = startUp({ home, args: ['--root', root], env: standIns.settings });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => starting.then(({ stop }) => stop()).finally(() => process.exit(1)));
}
const [up, browser] = await Promise.all([starting, openBrowser()]);
const { rest, owner_key } = up.ready;
if (only === '') rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
try {
  const app = await registerApp(rest, { name: 'Claude', redirectUrl: CLAUDE });
  let tokens: readonly [string, string] | undefined;
  const opened: [look: string, page: Page][] = [];
  for (const [look, options] of Object.entries(looks)) {
    const context = await browser.newContext(options);
    // Let Claude in, but do not send the browser there.
    await context.route(`${rest}/authorize`, async (route) => {
      await route.fetch({ maxRedirects: 0 });
      await route.fulfill({ body: 'Done.' });
    });
    context.setDefaultTimeout(SLOW_MS);
    const page = await context.newPage();
    await page.goto(`${rest}/signin`);
    await take(page, `sign-in-${look}`);
    await page.goto(app.ask().href);
    await signIn(page, owner_key);
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await take(page, `consent-${look}`);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Done.').waitFor();
    await page.goto(`${rest}/setup`);
    if (look !== 'phone') await take(page, `set-up-${look}`);
    tokens ??= await work(page, rest);
    await leave(page, rest, tokens[0]);
    for (const [name, path, onPhone] of pages) {
      if (look === 'phone' && !onPhone) continue;
      await page.goto(rest + path);
      await take(page, `${name}-${look}`);
    }
    opened.push([look, page]);
  }
  for (const [look, page] of opened) {
    await page.goto(`${rest}/approvals`);
    if (!tokens) break;
    for (const [tool, code] of await askForEach(page, rest, tokens, standIns.settings.DEV_FETCH_ORIGINS)) {
      await page.goto(`${rest}/approvals/${code}`);
      await page.getByRole('button', { name: /^Approve/ }).waitFor();
      await take(page, tool === 'run_in_terminal' ? `approval-${look}` : `approval-${tool}-${look}`);
    }
    if (look === 'phone') await unload(page, rest, tokens[1]);
    await page.context().close();
  }
} finally {
  await browser.close();
  await up.stop();
  await standIns.close();
  rmSync(scratch, { recursive: true, force: true });
}

async function take(page: Page, name: string): Promise<void> {
  if (!name.startsWith(only)) return;
  const path = join(FOLDER, `${name}.png`);
  await page.waitForLoadState();
  const before = page.viewportSize() ?? { width: 1080, height: 700 };
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  // Make the window as tall as the page instead of taking a larger picture, so that sticky parts stay at its edges.
  await page.setViewportSize({ width: before.width, height: Math.min(whole, MAX_HEIGHT) });
  await page.screenshot({ path, animations: 'disabled', timeout: SLOW_MS });
  await page.setViewportSize(before);
  const { size } = statSync(path);
  if (size > MAX_BYTES) throw new Error(`${path} has ${size} bytes; ${MAX_BYTES} are the limit.`);
  console.log(`${name}.png  ${Math.ceil(size / 1024)} KB`);
}
