import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AT_LENGTH } from '../support/at-length.ts';
import { openBrowser } from '../support/browser.ts';
import { apps } from '../support/oauth-clients.ts';
import { letIn, shutOut } from '../support/oauth-owner.ts';
import type { App } from '../support/oauth-programs.ts';
import { startUp, type Up } from '../support/up.ts';

/** What docs/security.md promises. */
const WITHIN_MS = 5_000;

let home: string;
let up: Up;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'bowline-oauth-'));
  [up, browser] = await Promise.all([startUp({ home }), openBrowser()]);
  page = await browser.newPage();
});
afterAll(async () => {
  await browser?.close();
  await up?.stop();
  rmSync(home, { recursive: true, force: true });
});

/** The owner follows the next address that the app wants opened, and lets it in. */
const letInNext = async (app: App) => letIn(page, await app.asks.next(), up.ready.owner_key);

const statusOf = async (token: string) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return (await fetch(up.ready.mcp, { method: 'POST', headers, body: '{}' })).status;
};

/** The programs around an SDK take long to start. */
const tried = AT_LENGTH ? apps : apps.filter(({ isProgram }) => !isProgram);

describe.each(tried)('$what', ({ open, protocol }) => {
  let app: App;
  beforeAll(async () => {
    app = await open(up.ready.mcp, mkdtempSync(join(home, 'app-')));
  });
  afterAll(() => app?.close());

  it('signs in through a browser, lists the tools and calls one', async () => {
    await Promise.all([app.connect(), letInNext(app)]);
    expect(await app.tools()).toContain('hello');
    expect(await app.hello('Ada')).toBe('Hello, Ada!');
    expect(app.protocol()).toBe(protocol);
    expect(app.asks.count()).toBe(1);
  });

  it('goes on without its person when its access token has run out', async () => {
    const before = app.accessToken();
    app.spoilAccessToken();
    expect(await statusOf(app.accessToken())).toBe(401);
    expect(await app.hello('Grace')).toBe('Hello, Grace!');
    expect(app.accessToken()).not.toBe(before);
    expect(app.asks.count()).toBe(1);
  });

  it('is refused within 5 s of being shut out, and can be let in again', async () => {
    expect(await statusOf(app.accessToken())).not.toBe(401);
    await shutOut(page, up.ready.console, app.name);
    await vi.waitFor(async () => expect(await statusOf(app.accessToken())).toBe(401), { timeout: WITHIN_MS });
    // What it knew is worth nothing now, so it has to ask its person again.
    const [answer] = await Promise.all([app.hello('Joan'), letInNext(app)]);
    expect(answer).toBe('Hello, Joan!');
    expect(app.asks.count()).toBe(2);
  });
});
