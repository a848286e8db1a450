import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type OwnerSession, signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { openBrowser } from '../support/browser.ts';
import { browserStandIn } from '../support/oauth-loopback.ts';
import { hasTerminal, type InTerminal, inTerminal } from '../support/terminal.ts';
import { untilWaiting } from '../support/waiting-calls.ts';

const LINK = /Sign in: (http:\/\/localhost:\d+\/signin#code=([0-9A-Z]{4}-[0-9A-Z]{4})) /;

// Without a terminal of one's own there is no key to press.
describe.runIf(hasTerminal)('the sign-in link of `npm start`', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-link-')));
  const state = join(base, 'home', 'gateway');
  const readyFile = join(base, 'ready.json');
  let opener: Awaited<ReturnType<typeof browserStandIn>>;
  let browser: Browser;
  let terminal: InTerminal;
  let link = '';
  let code = '';
  let handedOver: URL;

  beforeAll(async () => {
    mkdirSync(join(base, 'open'));
    [opener, browser] = await Promise.all([browserStandIn(base), openBrowser()]);
    const args = ['--port', '0', '--root', join(base, 'open'), '--ready-file', readyFile];
    terminal = inTerminal(['up', ...args], { BOWLINE_HOME: join(base, 'home'), ...opener.env });
    // The first start builds the Worker, which takes a busy computer longer than anything else here.
    await vi.waitFor(() => expect(existsSync(readyFile)).toBe(true), { timeout: 120_000, interval: 100 });
    await terminal.shows(/Ctrl-C stops it/);
  });
  afterAll(async () => {
    terminal?.kill();
    await terminal?.ended;
    await browser?.close();
    await opener?.close();
    rmSync(base, { recursive: true, force: true });
  });

  it('is made when Enter is pressed, and not before', async () => {
    expect(terminal.output()).not.toMatch(/#code=|bwl_/);
    terminal.type('\r');
    [, link = '', code = ''] = await terminal.shows(LINK);
    handedOver = await opener.opened.next();
  });

  it('is in no argument of a program, in no log and not in the ready-file', () => {
    expect(handedOver.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}$/);
    const kept = readdirSync(join(base, 'home'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
      .filter((content) => content.includes(code));
    expect(kept).toEqual([]);
    expect(readFileSync(readyFile, 'utf8')).not.toContain(code);
  });

  it('is out of reach for a command on the machine', async () => {
    const { rest, token, owner_key_file } = JSON.parse(readFileSync(readyFile, 'utf8'));
    const owner = await signInAsOwner(rest, readFileSync(owner_key_file, 'utf8').trim());
    const spying = `cat /proc/*/cmdline /proc/*/environ ${state}/logs/* ${readyFile} </dev/null | tr '\\0' ' '; true`;
    const answer = fetch(`${rest}/tools/run_in_terminal`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ command: spying }),
    });
    await approveNext(owner);
    const text = await (await answer).text();
    expect(JSON.parse(text), text).toMatchObject({ success: true });
    for (const secret of [code, handedOver.pathname.slice(1)]) expect(text).not.toContain(secret);
    await owner.signOut();
  });

  it('is given to no page that does not know its path, and to the first who does', async () => {
    const other = await fetch(new URL('/', handedOver), { redirect: 'manual' });
    expect([other.status, other.headers.get('location')]).toEqual([404, null]);
    const asked = await fetch(handedOver, { redirect: 'manual' });
    expect([asked.status, asked.headers.get('location')]).toEqual([302, link]);
    await expect(fetch(handedOver, { redirect: 'manual' })).rejects.toThrow();
  });

  it('signs one browser in, and leaves no code in its address', async () => {
    const first = await browser.newPage();
    await first.goto(link);
    await first.getByRole('heading', { name: 'Your Bowline is up' }).waitFor();
    expect(first.url()).not.toContain(code);
    await first.goBack().catch(() => null);
    expect(first.url()).not.toContain(code);
    const second = await (await browser.newContext()).newPage();
    await second.goto(link);
    await second.getByText('That code was used already').waitFor();
    expect(second.url()).not.toContain(code);
  });

  it('is another one at the next Enter', async () => {
    const before = terminal.output().length;
    terminal.type('\r');
    await opener.opened.next();
    const again = LINK.exec(terminal.output().slice(before))?.[2];
    expect(again).toBeDefined();
    expect(again).not.toBe(code);
  });

  it('ends with Ctrl-C, which says that all has stopped', async () => {
    terminal.type('\u0003');
    await terminal.shows(/Stopped\./);
    await terminal.ended;
  });
});

/** Says yes to the one call that waits, as soon as it does. */
async function approveNext(owner: OwnerSession): Promise<void> {
  const code = await untilWaiting(owner, ([first]) => first?.code);
  await owner.call('POST', `approvals/${code}`, { decision: 'approve' });
}
