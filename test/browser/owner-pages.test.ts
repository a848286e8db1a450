import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { JoinedServer, toolNamed } from '../support/joined-server.ts';
import { loopback } from '../support/oauth-loopback.ts';
import { expectLegible, tabTo } from './legible.ts';
import { HARMLESS, HOSTILE, mirror, open, remember } from './owner-data.ts';
import { useBrowser } from './visit.ts';

const { mcp, rest } = inject('product');
const visit = useBrowser();

const FILE = `docs/${HOSTILE.replaceAll('/', '')}.md`;
const LONG = Array.from({ length: 700 }, (_, at) => `line ${at + 1} of <b>many</b>`).join('\n');

/** Looks at an open page as different people do. */
async function expectLegibleToAll(page: Page): Promise<void> {
  const size = page.viewportSize();
  await page.emulateMedia({ colorScheme: 'light' });
  await expectLegible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 375, height: 720 });
  await expectLegible(page);
  if (size) await page.setViewportSize(size);
}

/** Lets a server of a test answer on a port of this computer. */
async function listening(server: JoinedServer) {
  return loopback(
    async (request, response) => {
      const { method = 'GET', headers } = request;
      const body = method === 'POST' ? await text(request) : null;
      const asked = new Request(server.url, {
        method,
        headers: { ...headers } as Record<string, string>,
        body,
      });
      const answer = await server.respond(asked);
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    },
    '127.0.0.1',
    inject('joinedPort'),
  );
}

describe('the memory’s pages', () => {
  it('show what models wrote as what it is, find it, and take a reader to its line', async () => {
    await visit({}, async (page) => {
      await open(page, '/memory');
      const entry = { timestamp: '2026-01-09T10:30:00Z', type: HOSTILE, zebra: HOSTILE };
      await remember(page, 'decisions.jsonl', entry);
      await remember(page, 'best_practices.md', `- ${HOSTILE}`);
      await page.reload();
      const timeline = page.locator('.entries');
      expect(await timeline.innerText()).toContain(`- ${HARMLESS}`);
      await expectLegibleToAll(page);

      await page.getByLabel('Search words').fill('zebra');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: '1 found for “zebra”' }).waitFor();
      await expectLegible(page);
      await page.getByRole('link', { name: 'decisions.jsonl, line 1' }).click();
      const asked = page.locator('#L1.asked');
      expect(await asked.innerText()).toContain('\\u{202e}gnp.exe');
      expect(new URL(page.url()).hash).toBe('#L1');
      await expectLegibleToAll(page);
      expect(await page.locator('main :is(script, img)').count()).toBe(0);
    });
  });

  it('hand out the log whole', async () => {
    await visit({}, async (page) => {
      await open(page, '/memory');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download the log' }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('log.jsonl');
      expect(await download.failure()).toBeNull();
    });
  });
});

describe('the repo’s pages', () => {
  it('lead from folder to file to line, whatever the files are called', async () => {
    await mirror({ [FILE]: `# ${HOSTILE}\n`, 'docs/sub/long.txt': LONG });
    await visit({}, async (page) => {
      await open(page, '/repo');
      await expectLegibleToAll(page);
      await page.getByRole('link', { name: 'docs/' }).click();
      await page.getByRole('link', { name: HARMLESS.replaceAll('/', '') }).click();
      expect(await page.locator('#L1 code').innerText()).toBe(`# ${HARMLESS}`);
      await expectLegibleToAll(page);
      await page
        .getByRole('navigation', { name: 'Where this is' })
        .getByRole('link', { name: 'docs' })
        .click();
      await page.getByRole('link', { name: 'sub/' }).click();
      await page.getByRole('link', { name: 'long.txt' }).click();
      await page.getByRole('link', { name: 'Later lines' }).click();
      expect(await page.locator('#L301 code').innerText()).toBe('line 301 of <b>many</b>');
      await page.getByRole('link', { name: 'Line 400', exact: true }).click();
      expect(page.url()).toMatch(/#L400$/);
      await page.goto(`${rest}/repo/docs/sub/long.txt?line=650#L650`);
      expect(await page.locator('#L650').evaluate((line) => line.matches(':target'))).toBe(true);
      expect(await page.locator('main :is(script, img, b)').count()).toBe(0);
    });
  });

  it('say so when a path leads nowhere', async () => {
    await visit({ statuses: [404] }, async (page) => {
      await open(page, '/repo/docs/nothing');
      await page.getByRole('heading', { name: 'Not in the mirror' }).waitFor();
      await expectLegible(page);
    });
  });
});

describe('a machine', () => {
  it('shows how it is, and the way to it hop by hop', async () => {
    await visit({}, async (page) => {
      await open(page, '/machines');
      await expectLegibleToAll(page);
      await page.getByRole('button', { name: /^Test connection to / }).click();
      await page.getByRole('heading', { name: 'The connection works' }).waitFor();
      expect(await page.locator('.hops li').count()).toBe(4);
      expect(await page.locator('.hops .badge.good').count()).toBe(4);
      await expectLegibleToAll(page);
      const toDefault = page.getByRole('button', { name: 'Make default' });
      const noDefault = page.getByRole('button', { name: 'Clear default' });
      await page.goto(`${rest}/machines`);
      await toDefault.or(noDefault).click();
      await page.getByRole('button', { name: /default/ }).waitFor();
    });
  });

  it('keeps its name when the new one is no name', async () => {
    await visit({ statuses: [400] }, async (page) => {
      await open(page, '/machines');
      await page.getByText(/^Rename /).click();
      await page.getByLabel('Name').fill('<b>no</b>');
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('alert').getByText('A name can have letters').waitFor();
      await expectLegible(page);
    });
  });
});

describe('a tool’s page', () => {
  it('lists what there is and runs a tool by keyboard alone', async () => {
    await visit({}, async (page) => {
      await open(page, '/catalogue');
      await expectLegibleToAll(page);
      await page.getByRole('link', { name: 'Say hello' }).click();
      await page.getByRole('heading', { name: 'Try it' }).waitFor();
      await tabTo(page, 'name optional');
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(HOSTILE);
      await page.keyboard.press('Enter');
      const result = page.locator('#result');
      expect(await result.innerText()).toContain('\\u{202e}gnp.exe');
      await expectLegibleToAll(page);
      await page.goto(`${rest}/catalogue/create_file?example=0`);
      expect(await page.getByLabel('path').inputValue()).not.toBe('');
      expect(await page.locator('datalist option').count()).toBe(2);
      await expectLegibleToAll(page);
    });
  });

  it('leads to the approval and back, with scripts off', async () => {
    await visit({ options: { javaScriptEnabled: false } }, async (page) => {
      await open(page, '/catalogue/write_memory_entry');
      await page.getByLabel('file').selectOption('best_practices.md');
      await page.getByLabel('entry').fill('- Try it before you trust it.');
      await page.getByRole('button', { name: 'Run it' }).click();
      const decide = page.getByRole('link', { name: /^Open approval / });
      const address = (await decide.getAttribute('href')) ?? '';
      const here = await page.context().newPage();
      await here.goto(rest + address);
      await here.getByRole('button', { name: /^Allow when asked again/ }).click();
      await here.close();
      await page.getByRole('button', { name: 'Run the approved call' }).click();
      expect(await page.locator('#result').innerText()).toMatch(/Appended line \d+/);
    });
  });
});

describe('the ways in', () => {
  it('are told step by step, with an address that one button copies', async () => {
    await visit({ options: { permissions: ['clipboard-read', 'clipboard-write'] } }, async (page) => {
      await open(page, '/connect');
      await expectLegibleToAll(page);
      await page.getByRole('button', { name: 'Copy the address', exact: true }).click();
      await page.getByText('Copied').waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(mcp);
      expect(await page.locator('#vscode').innerText()).toContain(`"url": "${mcp}"`);
    });
  });

  it('begin with a list of first steps that knows what is done', async () => {
    await visit({}, async (page) => {
      await open(page, '/setup');
      expect(await page.locator('.done-step h2').allInnerTexts()).toContain('Pair a machine done');
      await expectLegibleToAll(page);
    });
  });

  it('and the servers joined to it, can be looked after', async () => {
    await visit({}, async (page) => {
      await open(page, '/servers');
      await page.getByLabel('Name').fill('notes');
      await page.getByLabel('Address').fill('http://127.0.0.1:1/mcp');
      await page.getByRole('button', { name: 'Join', exact: true }).click();
      await page.getByRole('heading', { name: 'notes' }).waitFor();
      await page.getByRole('alert').first().waitFor();
      await expectLegibleToAll(page);
      await page.getByRole('button', { name: 'Remove: notes' }).click();
      await page.getByText('No server is joined').waitFor();
    });
  });

  it('and take what a joined server says of its tools as grades, all at once and as they were seen', async () => {
    const server = new JoinedServer();
    const hinted = (name: string, annotations: object) => toolNamed(name, { annotations });
    const tools = [
      hinted('find', { readOnlyHint: true }),
      hinted('tidy', { readOnlyHint: false, destructiveHint: false }),
      hinted('wipe', { destructiveHint: true }),
      toolNamed('silent'),
    ];
    server.tools = tools;
    const { origin, close } = await listening(server);
    await visit({ statuses: [400] }, async (page, context) => {
      await open(page, '/servers');
      await page.getByLabel('Name').fill('words');
      await page.getByLabel('Address').fill(`${origin}/mcp`);
      await page.getByRole('button', { name: 'Join', exact: true }).click();
      const box = page.locator('#server-words form.notice');
      await box.waitFor();
      expect(await box.locator('li').allInnerTexts()).toEqual([
        'Run without asking: find',
        'Ask each time, as a write: tidy',
        'Ask each time, as dangerous: wipe',
      ]);
      await expectLegibleToAll(page);

      const other = await context.newPage();
      await open(other, '/servers');
      server.tools = [hinted('find', { readOnlyHint: true, openWorldHint: true }), ...tools.slice(1)];
      await other.getByRole('button', { name: 'Check again: words' }).click();
      // What changed has to be looked at alone.
      await other.getByRole('button', { name: 'Accept these 2 grades' }).waitFor();
      await page.getByRole('button', { name: 'Accept these 3 grades' }).click();
      await page.getByRole('alert').getByText('has changed since you looked').waitFor();
      const grades = () =>
        Promise.all(
          ['find', 'tidy', 'wipe', 'silent'].map((name) =>
            page.getByLabel(`Grade of words__${name}`, { exact: true }).inputValue(),
          ),
        );
      expect(await grades()).toEqual(['', '', '', '']);

      await page.getByRole('button', { name: 'Accept these 2 grades' }).click();
      await box.waitFor({ state: 'detached' });
      expect(await grades()).toEqual(['', 'safe_write', 'dangerous', '']);
      await page.getByRole('button', { name: 'Remove: words' }).click();
      await page.getByText('No server is joined').waitFor();
    }).finally(close);
  });
});

describe('a first visit', () => {
  const paths = [
    '/memory',
    '/repo',
    '/catalogue',
    '/catalogue/run_in_terminal',
    '/machines',
    '/connect',
    '/setup',
  ];

  it('transfers little, style and scripts with it', async () => {
    await visit({}, async (page) => {
      await open(page, '/servers');
      for (const path of paths) {
        await page.goto(rest + path);
        const all = await page.evaluate(() =>
          [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
            .filter(({ name }) => !name.includes('/live'))
            .map((one) => ('decodedBodySize' in one ? Number(one.decodedBodySize) : 0)),
        );
        // The page, its style and its script, from the network or from before.
        expect(all.length).toBeGreaterThanOrEqual(3);
        expect(all.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000);
      }
    });
  });
});
