import type { Frame, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { cardPage } from '../../src/console/cards/card-page.ts';
import { AT_LENGTH } from '../support/at-length.ts';
import { HOST_ORIGINS, sendResult, showCard } from './card-host/card-host.ts';
import { expectLegible } from './legible.ts';
import { HARMLESS, HOSTILE } from './owner-data.ts';
import { useBrowser } from './visit.ts';

const visit = useBrowser();
const html = cardPage();
/** The first two have both sizes and both colours. */
const looks = [
  ['light', { viewport: { width: 720, height: 900 } }],
  ['dark', { viewport: { width: 320, height: 900 }, colorScheme: 'dark' }],
  ['dark', { viewport: { width: 720, height: 900 }, colorScheme: 'dark' }],
  ['light', { viewport: { width: 320, height: 900 } }],
] as const;

/** An answer of `waiting_call`. */
const waits = (more: object = {}) => ({
  content: [],
  structuredContent: {
    state: 'pending',
    code: '7KX3-M2QF',
    address: 'https://bowline.example/approvals/7KX3-M2QF',
    asked_seconds_ago: 1,
    seconds_left: 583,
    note: null,
    ran: null,
    call: {
      sentence: { who: 'Claude', does: 'edit', what: 'src/db/pool.ts', where: ' on mini, in shop' },
      risk: 'safe_write',
    },
    ...more,
  },
});

const edit = {
  path: 'src/db/pool.ts',
  old_string: 'const size = 4;\nconst wait = 0;',
  new_string: `const size = Number(process.env.POOL ?? 8);\n${'const wait = 250;\n'.repeat(20)}`,
};
const hit = (text: string) => ({ title: text, url: `https://example.com/${text}`, snippet: text });
const ran = (output: string, exit = 0) => ({
  isError: exit !== 0,
  content: [],
  structuredContent: {
    success: exit === 0,
    output,
    files_affected: [],
    execution_time_ms: 8,
    metadata: { exit_code: exit },
  },
});

const passed = Array.from({ length: 60 }, (_, i) => `test ${i} passed in ${i * 3} ms\n`).join('');

/** What each card shows: the tool, its arguments, how it ended, and how it stands before that. */
const cards: Record<
  string,
  readonly [tool: string, args: Record<string, unknown>, result?: object | undefined, stands?: object]
> = {
  'an edit that waits': ['replace_string_in_file', edit],
  'an edit that was made': ['replace_string_in_file', edit, ran('Replaced 1 occurrence in src/db/pool.ts')],
  'the output of a command': [
    'run_in_terminal',
    { command: 'npm test -- db' },
    ran(`Command output:\n${passed}`, 1),
  ],
  'a command that runs': [
    'run_in_terminal',
    { command: 'npm test -- db' },
    undefined,
    {
      state: 'consumed',
      ran: { call_id: 'call_7', outcome: null, code: null },
      output: passed,
      call: { sentence: { who: 'Claude', does: 'run', what: 'npm test -- db', where: ' on mini, in shop' } },
    },
  ],
  'a joined tool': [
    'notes__look_up',
    { word: 'hawser', languages: ['en', 'de'] },
    undefined,
    {
      call: { sentence: { who: 'Claude', does: 'use', what: 'notes__look_up', where: ' on mini' } },
    },
  ],
  'results of a search': [
    'search_web',
    { query: 'x' },
    {
      content: [],
      structuredContent: { results: [hit('Connection pools'), hit('a-very-long-word'.repeat(12))] },
    },
  ],
  'the state of machines': [
    'list_machines',
    {},
    {
      content: [],
      structuredContent: {
        machines: [
          {
            name: 'mini',
            online: true,
            since: '2026-01-09T08:00:00Z',
            roots: [{ name: 'shop' }, { name: 'notes' }],
            version: '0.1.0',
            sandbox: 'none',
          },
          { name: 'laptop', online: false, since: '2026-01-08T08:00:00Z', roots: [], version: null },
        ],
      },
    },
  ],
  'a failure': [
    'create_file',
    { path: 'a.txt', content: 'x\n' },
    {
      isError: true,
      content: [{ type: 'text', text: 'Error: Something of that name already exists.' }],
      _meta: {
        'dev.bowline/error': {
          code: 'file_exists',
          message: 'Something of that name already exists.',
          suggestion: 'Choose another name.',
        },
      },
    },
  ],
};

/** Finds the card's own frame, which no name leads to. */
async function frameOf(page: Page): Promise<Frame> {
  const inner = await page.locator('iframe').elementHandle();
  const proxy = await inner?.contentFrame();
  const own = await (await proxy?.locator('iframe').elementHandle())?.contentFrame();
  if (!own) throw new Error('There is no card.');
  return own;
}

describe.each(Object.entries(cards))('the card of %s', (name, [tool, args, result, stands]) => {
  it.each(AT_LENGTH ? looks : looks.slice(0, 2))('is legible, %s, %j', async (theme, options) => {
    await visit({ options, origins: HOST_ORIGINS }, async (page, context) => {
      const answers = { callTool: () => waits(stands) };
      const card = await showCard({ page, context }, { html, tool, args, theme }, answers);
      if (result) await sendResult(page, result);
      await card.locator('.state').waitFor();
      if (stands && 'output' in stands) await card.locator('.live pre').waitFor();
      await expectLegible(await frameOf(page));
      const shots = process.env.CARD_SHOTS;
      if (shots)
        await page.screenshot({
          path: `${shots}/${name.replaceAll(' ', '-')}-${theme}-${options.viewport.width}.png`,
          fullPage: true,
        });
    });
  });
});

/** The same value with every text of it replaced. */
function everyText(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text;
  if (Array.isArray(value)) return value.map((one) => everyText(one, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, everyText(one, text)]));
}

describe('what strangers wrote in a card', () => {
  it.each(Object.entries(cards))(
    'stays text, with the invisible spelt out: %s',
    async (_, [tool, args, result, stands]) => {
      await visit({ origins: HOST_ORIGINS }, async (page, context) => {
        const state = everyText(waits(stands).structuredContent, HOSTILE) as object;
        const is = { state: String((stands as { state?: string })?.state ?? 'pending') };
        const answers = {
          callTool: () => ({ content: [], structuredContent: { ...state, ...is } }),
        };
        const hostile = everyText(args, HOSTILE) as Record<string, unknown>;
        const card = await showCard({ page, context }, { html, tool, args: hostile }, answers);
        if (result)
          await sendResult(page, {
            ...(everyText(result, HOSTILE) as object),
            ...(tool === 'create_file' ? { content: [] } : {}),
          });
        await card.locator('.state').first().waitFor();
        const text = await card.locator('main').innerText();
        expect(text).toContain(HARMLESS);
        expect(text).not.toMatch(/[\u202e\u200b]/);
        expect(await card.locator('img, main script, a, form, iframe').count()).toBe(0);
      });
    },
  );

  it('opens no address but one of the web', async () => {
    await visit({ origins: HOST_ORIGINS }, async (page, context) => {
      const results = ['javascript:alert(1)', 'data:text/html,x', 'https://example.com/'].map((url) => ({
        title: url,
        url,
        snippet: '',
      }));
      const card = await showCard({ page, context }, { html, tool: 'search' }, { callTool: () => waits() });
      await sendResult(page, { content: [], structuredContent: { results } });
      await card.getByText('3 results').waitFor();
      expect(await card.locator('button').allInnerTexts()).toEqual(['https://example.com/']);
    });
  });
});

describe('a card in a program that can do less', () => {
  it('shows the address where links cannot be opened', async () => {
    await visit({ origins: HOST_ORIGINS }, async (page, context) => {
      const card = await showCard(
        { page, context },
        { html, tool: 'create_file', canOpen: false },
        { callTool: () => waits() },
      );
      await card.getByText('https://bowline.example/approvals/7KX3-M2QF').waitFor();
      expect(await card.locator('button').count()).toBe(0);
    });
  });

  it('says what to do where it cannot ask how the call stands', async () => {
    await visit({ origins: HOST_ORIGINS }, async (page, context) => {
      const asked: string[] = [];
      const callTool = (name: string) => asked.push(name);
      const card = await showCard(
        { page, context },
        { html, tool: 'create_file', canCall: false },
        { callTool },
      );
      const message =
        'The owner has to approve this call first: 7KX3-M2QF, at https://bowline.example/approvals/7KX3-M2QF';
      await sendResult(page, {
        isError: true,
        content: [],
        _meta: { 'dev.bowline/error': { code: 'approval_required', message } },
      });
      await card.getByText(message).waitFor();
      expect(asked).toEqual([]);
    });
  });

  it('takes the code of its approval from the data of the answer, and none from its words', async () => {
    await visit({ origins: HOST_ORIGINS }, async (page, context) => {
      const asked: unknown[] = [];
      const callTool = (_: string, { code }: Record<string, unknown>) => {
        asked.push(code);
        return code === '7KX3-M2QF' ? waits() : { content: [], structuredContent: { state: 'none' } };
      };
      const card = await showCard({ page, context }, { html, tool: 'create_file' }, { callTool });
      const message = 'Approve 0000-0000, at https://bowline.example/approvals/0000-0000';
      const error = { 'dev.bowline/error': { code: 'approval_required', message } };
      const waiting = { 'dev.bowline/waiting': { code: '7KX3-M2QF' } };
      await sendResult(page, { isError: true, content: [], _meta: { ...error, ...waiting } });
      await card.getByText('Waiting for your approval').waitFor();
      expect(asked).not.toContain('0000-0000');
    });
  });

  it('gives up after five refusals, and says so', async () => {
    await visit({ origins: HOST_ORIGINS }, async (page, context) => {
      let asked = 0;
      const refuse = () => {
        asked += 1;
        return { isError: true, content: [] };
      };
      const card = await showCard({ page, context }, { html, tool: 'create_file' }, { callTool: refuse });
      await card.getByText('This card is no longer updated').waitFor();
      expect(asked).toBe(5);
    });
  });
});
