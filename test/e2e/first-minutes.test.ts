import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawScreen } from '../../local-bridge/tools/terminal/sessions/screen.ts';
import { openBrowser } from '../support/browser.ts';
import { browserStandIn } from '../support/oauth-loopback.ts';
import { untilListening } from '../support/oauth-owner.ts';
import { hasTerminal, type InTerminal, programInTerminal } from '../support/terminal.ts';
import { PROJECT } from '../support/up.ts';

// The first five minutes of somebody new: a real terminal, a real browser, an empty home. What both show is docs/first-minutes.md.

const RECORDING = join(PROJECT, 'docs', 'first-minutes.md');
/** The folder for pictures of the pages, if they are to be taken. */
const { BOWLINE_PICTURES: pictures } = process.env;
/** Far longer than a starved computer takes for anything here. */
const PATIENCE_MS = 120_000;

interface Frame {
  readonly title: string;
  readonly text: string;
  readonly picture?: string;
}

describe.runIf(hasTerminal)('the first five minutes', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-minutes-')));
  const home = join(base, 'home');
  const frames: Frame[] = [];
  const open: InTerminal[] = [];
  let opener: Awaited<ReturnType<typeof browserStandIn>>;
  let browser: Browser;
  let page: Page;
  let up: InTerminal;

  beforeAll(async () => {
    mkdirSync(home);
    [opener, browser] = await Promise.all([browserStandIn(base), openBrowser()]);
    page = await browser.newPage({ viewport: { width: 1080, height: 700 } });
    page.setDefaultTimeout(PATIENCE_MS);
  });
  afterAll(async () => {
    for (const terminal of open) terminal.kill();
    await Promise.all(open.map(({ ended }) => ended));
    await browser?.close();
    await opener?.close();
    rmSync(base, { recursive: true, force: true });
  });

  /** Types a command into a terminal of its own. */
  function type(...words: string[]): InTerminal {
    const { BOWLINE_HOME: _home, BOWLINE_URL: _url, BOWLINE_TOKEN: _token, ...inherited } = process.env;
    const terminal = programInTerminal(
      words,
      { HOME: home, npm_config_update_notifier: 'false', ...opener.env },
      { inherited },
    );
    open.push(terminal);
    return terminal;
  }

  async function keepScreen(title: string, typed: string, terminal: InTerminal): Promise<void> {
    const screen = (await drawScreen(Buffer.from(terminal.output()))) ?? '';
    frames.push({ title, text: `$ ${typed}\n${screen.trim()}` });
  }

  async function keepPage(title: string, picture: string, parts: readonly string[]): Promise<void> {
    const texts = await Promise.all(parts.map((part) => page.locator(part).allInnerTexts()));
    frames.push({ title, picture, text: texts.flat().join('\n') });
    if (pictures !== undefined)
      await page.screenshot({ path: join(PROJECT, pictures, `${picture}.png`), animations: 'disabled' });
  }

  it('begin with `npm start`', async () => {
    up = type('npm', 'start', '--silent', '--', '--port', '0');
    await up.shows(/Ctrl-C stops it/);
    await keepScreen('Start it', 'npm start', up);
    // On a busy computer the first push goes on meanwhile.
    if (up.output().includes('Mirror: on its way')) await up.shows(/Mirrored commit/);
  });

  it('go on in a browser that Enter opens, signed in', async () => {
    up.type('\r');
    await page.goto((await opener.opened.next()).href);
    await page.getByRole('heading', { name: 'Your Bowline is up' }).waitFor();
    await page.getByText('connected', { exact: false }).first().waitFor();
    await keepPage('Press Enter: the console opens, signed in', 'home', ['main > .notice', 'h1', '.tile']);
  });

  it('connect the first app', async () => {
    const { origin } = new URL(page.url());
    const login = type('npx', 'bowline', 'login', origin);
    const address = await opener.opened.next();
    await page.goto(address.href);
    await untilListening(new URL(address.searchParams.get('redirect_uri') ?? ''));
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await keepPage('Connect the first app: it asks what it may do', 'consent', [
      'h1',
      'main label',
      'main button',
    ]);
    await page.getByRole('button', { name: 'Allow' }).click();
    expect(await login.ended).toBe(0);
    await keepScreen('Allow it', `npx bowline login ${origin}`, login);
    await page.goto(origin);
  });

  it('make the first call', async () => {
    const call = type('npx', 'bowline', 'call', 'hello', '--name', 'Ada');
    expect(await call.ended).toBe(0);
    await keepScreen('Make the first call', 'npx bowline call hello --name Ada', call);
  });

  it('decide about the first command', async () => {
    const args = ['--command', 'echo Hello from a machine', '--wait', '270'];
    const call = type('npx', 'bowline', 'call', 'run_in_terminal', ...args);
    // The page learns of the call by itself.
    await page.getByRole('link', { name: /wants to run/ }).click();
    await page.getByRole('button', { name: 'Approve once' }).waitFor();
    await keepPage('Run a command: it waits for you', 'approval', [
      'h1',
      'pre.asked >> nth=0',
      '.decide button',
    ]);
    await page.getByRole('button', { name: 'Approve once' }).click();
    expect(await call.ended).toBe(0);
    await keepScreen(
      'Approve it',
      "npx bowline call run_in_terminal --command 'echo Hello from a machine' --wait 270",
      call,
    );
  });

  it('end with Ctrl-C', async () => {
    const before = up.output().length;
    up.type('\u0003');
    await up.shows(/Stopped\./);
    await up.ended;
    expect(up.output().slice(before)).toContain('Stopped.');
  });

  it('are as docs/first-minutes.md shows them', async () => {
    const machine = /Machine: (\S+), with/.exec(up.output())?.[1] ?? hostname();
    await expect(pageOf(frames, machine, home)).toMatchFileSnapshot(RECORDING);
    for (const { picture } of frames)
      if (picture !== undefined)
        expect(readFileSync(join(PROJECT, 'docs', 'first-minutes', `${picture}.png`)).length).toBeLessThan(
          120 * 1024,
        );
  });
});

const HEAD = `# The first five minutes

A recording of a real terminal and a real browser with an empty home. \`test/e2e/first-minutes.test.ts\` goes this way each time the
tests run, and fails if anything here is no longer so. Addresses, folders, names, codes, numbers of files and times are replaced, so
that they are the same each time. Pages are shown as a picture, and by the texts that the test compares.

To record it anew: \`BOWLINE_PICTURES=docs/first-minutes npx vitest run --project e2e test/e2e/first-minutes.test.ts -u\`
`;

function pageOf(frames: readonly Frame[], machine: string, home: string): string {
  const parts = frames.map(({ title, text, picture }, at) => {
    const image = picture === undefined ? '' : `![${title}](first-minutes/${picture}.png)\n\n`;
    return `\n## ${at + 1}. ${title}\n\n${image}\`\`\`\n${steady(text, machine, home)}\n\`\`\`\n`;
  });
  return HEAD + parts.join('');
}

/** What the screen says where the first push takes no longer than somebody would wait. */
const MIRRORED = `  Mirror: commit 0123456789ab, 1 file
  Open in it: docs/** paths/** stacks/** .claude/memory/** README.md CLAUDE.md
  Open more: bowline mirror open 'src/**'`;

/** Replaces what differs from run to run. */
function steady(text: string, machine: string, home: string): string {
  const either = [machine, hostname()].map((name) => name.replace(/\W/g, '\\$&')).join('|');
  const names = new RegExp(`(Machine: |\\bon )(?:${either})(?![\\w-])`, 'g');
  return text
    .replace(/^ {2}Mirror: on its way.*$/m, MIRRORED)
    .replaceAll(PROJECT, '/home/ada/bowline')
    .replaceAll(home, '/home/ada')
    .replace(/http:\/\/localhost:\d+/g, 'http://localhost:8787')
    .replace(/\/authorize\?\S+/g, '/authorize?…')
    .replace(/commit [0-9a-f]{12}, \d+ files?/g, 'commit 9f2c1e7a40d3, 34 files')
    .replace(/Ready: after [\d.]+ s/g, 'Ready: after 3.4 s')
    .replace(/#code=[0-9A-Z]{4}-[0-9A-Z]{4}/g, '#code=K7QX-3M9D')
    .replace(/Time: \d+\s?ms|Time: [\d.]+\s?s/g, 'Time: 12 ms')
    .replace(/^\d+\s+calls in 24 hours$/gm, '7 calls in 24 hours')
    .replace(names, '$1mini')
    .replaceAll(`, in ${basename(PROJECT)}`, ', in bowline')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
