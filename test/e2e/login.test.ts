import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { runBowline } from '../support/command.ts';
import { letIn, shutOut } from '../support/oauth-owner.ts';
import { SOON_MS } from '../support/soon.ts';
import { BOWLINE, PROJECT, startUp, type Up } from '../support/up.ts';

let up: Up;
let browser: Browser;
let page: Page;
let home: string;
const gatewayHome = mkdtempSync(join(tmpdir(), 'bowline-login-'));

beforeAll(async () => {
  home = join(gatewayHome, 'laptop');
  up = await startUp({ home: gatewayHome, opensNothing: true });
  browser = await openBrowser();
  page = await (await browser.newContext()).newPage();
});
afterAll(async () => {
  await browser?.close();
  await up?.stop();
  rmSync(gatewayHome, { recursive: true, force: true });
});

/** The command as the owner of another computer gives it: a home of its own and no settings. */
const bowline = (args: string[], env: Record<string, string> = {}) =>
  runBowline(args, { env: { BOWLINE_HOME: home, BOWLINE_URL: '', BOWLINE_TOKEN: '', ...env } });

/** Starts `bowline login` and gives the address it wants opened. */
function startLogin() {
  const child = spawn('node', [BOWLINE, 'login', '--no-browser', up.ready.rest], {
    cwd: PROJECT,
    env: { ...process.env, BOWLINE_HOME: home, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const address = new Promise<URL>((done) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const found = /^\s+(http\S+authorize\S+)$/m.exec(output)?.[1];
        if (found) done(new URL(found));
      });
    }
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  return { address, ended, output: () => output };
}

describe('bowline login', () => {
  it('signs in through the browser, keeps what it got to itself, and is then used by commands', async () => {
    const login = startLogin();
    await letIn(page, await login.address, up.ready.owner_key);
    expect(await page.locator('body').textContent()).toContain('You are signed in.');
    expect(await login.ended).toBe(0);
    expect(login.output()).toContain(`Signed in at ${up.ready.rest}.`);
    const file = join(home, 'credentials.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { gateways } = JSON.parse(readFileSync(file, 'utf8'));
    const { access_token } = gateways[up.ready.rest].tokens;
    expect(login.output()).not.toContain(access_token);
    const called = await bowline(['call', 'hello', '--name', 'Laptop']);
    expect([called.code, called.stdout]).toEqual([0, expect.stringContaining('Hello, Laptop!')]);
    const direct = await fetch(`${up.ready.rest}/tools/hello`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect(direct.status).toBe(200);
  });

  it('renews an access token that has run out', async () => {
    const file = join(home, 'credentials.json');
    const before = JSON.parse(readFileSync(file, 'utf8'));
    before.gateways[up.ready.rest].expiresAt = 0;
    writeFileSync(file, JSON.stringify(before));
    expect((await bowline(['call', 'hello'])).code).toBe(0);
    const after = JSON.parse(readFileSync(file, 'utf8'));
    const token = (saved: typeof before) => saved.gateways[up.ready.rest].tokens.access_token;
    expect(token(after)).not.toBe(token(before));
    expect(after.gateways[up.ready.rest].expiresAt).toBeGreaterThan(Date.now());
  });

  it('is told so when the owner has shut it out', async () => {
    await shutOut(page, up.ready.console, `bowline on ${hostname()}`);
    const refused = async () => (await bowline(['call', 'hello', '--json'])).stdout;
    await expect.poll(refused, { timeout: SOON_MS }).toContain('"unauthorized"');
  });

  it('ends with a sentence when the owner says no', async () => {
    const login = startLogin();
    await page.goto((await login.address).href);
    await page.getByRole('button', { name: 'Deny' }).click();
    expect(await login.ended).toBe(1);
    expect(login.output()).toContain('It was denied in the browser.');
  });

  it('takes the owner key where there is no browser, and logout makes the token worthless', async () => {
    const login = await bowline(['login', '--headless', up.ready.rest], {
      BOWLINE_OWNER_KEY: up.ready.owner_key,
    });
    expect([login.code, login.stdout]).toEqual([0, expect.stringContaining('Signed in')]);
    const saved = JSON.parse(readFileSync(join(home, 'credentials.json'), 'utf8'));
    const { token } = saved.gateways[up.ready.rest];
    expect(JSON.stringify(saved)).not.toContain(up.ready.owner_key);
    expect((await bowline(['call', 'hello'])).code).toBe(0);
    expect((await bowline(['logout'])).code).toBe(0);
    const after = await fetch(`${up.ready.rest}/tools/hello`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(after.status).toBe(401);
    expect((await bowline(['logout'])).stderr).toContain('Which gateway?');
  });

  it('does not ask for the owner key where nobody can type it', async () => {
    const { code, stderr } = await bowline(['login', '--headless', up.ready.rest]);
    expect([code, stderr]).toEqual([3, expect.stringContaining('BOWLINE_OWNER_KEY')]);
    const wrong = await bowline(['token', 'list'], {
      BOWLINE_URL: up.ready.rest,
      BOWLINE_OWNER_KEY: 'bwl_owner_no',
    });
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('not the owner key')]);
  });
});

describe('bowline token', () => {
  it('makes, lists and revokes tokens as the owner', async () => {
    const owner = { BOWLINE_URL: up.ready.rest, BOWLINE_OWNER_KEY: up.ready.owner_key };
    const made = await bowline(['token', 'create', '--name', 'nightly', '--scopes', 'read', '--json'], owner);
    const { secret, token } = JSON.parse(made.stdout);
    const hello = () => bowline(['call', 'hello'], { BOWLINE_URL: up.ready.rest, BOWLINE_TOKEN: secret });
    expect((await hello()).code).toBe(0);
    const listed = await bowline(['token', 'list'], owner);
    expect(listed.stdout).toContain(`${token.id}  nightly`);
    expect(listed.stdout).not.toContain(secret);
    expect((await bowline(['token', 'revoke', token.id], owner)).code).toBe(0);
    expect((await hello()).stderr).toContain('valid sign-in');
    expect((await bowline(['token', 'revoke', token.id], owner)).stderr).toContain('no such token');
  });
});
