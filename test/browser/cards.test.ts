import { rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { SOON_MS } from '../support/soon.ts';
import { PROJECT } from '../support/up.ts';
import { clearTheDesk, openAs } from './asking.ts';
import { HOST_ORIGINS, sendResult, showCard } from './card-host/card-host.ts';
import { useBrowser } from './visit.ts';

const { rest, mcp, token } = inject('product');
const visit = useBrowser();
const expected = { origins: HOST_ORIGINS };
const UI = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };

let client: Client;
let html: string;

beforeAll(async () => {
  client = new Client(
    { name: 'chat', version: '1.0.0' },
    { capabilities: UI, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp), { requestInit }));
  const { tools } = await client.listTools();
  const { ui } = tools.find(({ name }) => name === 'write_memory_entry')?._meta ?? {};
  const { contents } = await client.readResource({ uri: (ui as { resourceUri: string }).resourceUri });
  html = (contents[0] as { text: string }).text;
});
afterAll(() => client?.close());

const entry = (text: string) => ({
  file: 'decisions.jsonl',
  entry: { timestamp: '2026-01-31T12:00:00Z', type: 'decision', text },
});

/** The tools that cards called. */
const called = new Set<string>();
const viaClient = {
  callTool: (name: string, args: Record<string, unknown>) => {
    called.add(name);
    return client.callTool({ name, arguments: args });
  },
};

/** Makes a call that waits, with a card beside it. */
async function waitWithCard(page: Page, context: Parameters<typeof showCard>[0]['context'], text: string) {
  const opened: string[] = [];
  const args = entry(text);
  const card = await showCard(
    { page, context },
    { html, tool: 'write_memory_entry', args },
    { ...viaClient, openLink: (url) => opened.push(url) },
  );
  const outcome = client.callTool({ name: 'write_memory_entry', arguments: args });
  return { opened, outcome, card };
}

describe('the card of a call that waits', () => {
  it('shows the call, leads to the owner’s page, and follows what they decide by itself', async () => {
    await visit(expected, async (page, context) => {
      const { opened, outcome, card } = await waitWithCard(page, context, 'Cards follow by themselves');
      await card.getByText('Waiting for your approval').waitFor();
      await card.getByText('wants to add a line to the memory').waitFor();
      await card.getByText('Cards follow by themselves').waitFor();
      expect(await card.locator('.left').innerText()).toMatch(/^(10|[5-9]):\d\d left$/);
      await card.getByRole('button', { name: 'Decide in Bowline' }).click();
      await expect.poll(() => opened.length, { timeout: SOON_MS }).toBe(1);
      const owner = await context.newPage();
      await openAs(owner, new URL(opened[0] ?? '').pathname);
      await owner.getByRole('button', { name: 'Approve once' }).click();
      const result = await outcome;
      expect(result.isError).toBe(false);
      // Before its client tells it, the card learns of the end by itself.
      await card
        .getByText(/It ran|Approved/)
        .first()
        .waitFor();
      await sendResult(page, result);
      await card.getByText('Done').waitFor();
      expect(called).toContain('waiting_call');
      for (const name of called) expect(['waiting_call', 'get_call']).toContain(name);
    });
  });

  it('shows a no with the owner’s sentence', async () => {
    await visit(expected, async (page, context) => {
      const { outcome, card } = await waitWithCard(page, context, 'Not like this');
      const code = (await card.locator('.state .mono').innerText()).trim();
      const owner = await context.newPage();
      await openAs(owner, `/approvals/${code}`);
      await owner.getByText('Deny and tell').click();
      await owner.getByLabel('Message to the model').fill('use the other file');
      await owner.getByRole('button', { name: 'Deny with this message' }).click();
      expect((await outcome).isError).toBe(true);
      await card.getByText('Denied').waitFor();
      await card.getByText('use the other file').waitFor();
      await clearTheDesk(owner);
    });
  });
});

describe('the card of a command', () => {
  it('follows what the command prints while it runs, and then shows the whole', async () => {
    const go = join(PROJECT, 'node_modules', `.card-goes-on-${process.pid}`);
    onTestFinished(() => rmSync(go, { force: true }));
    await visit(expected, async (page, context) => {
      const wait = `until [ -e node_modules/${basename(go)} ]; do sleep 0.1; done`;
      const args = {
        command: `echo "first $((1 + 1))"; ${wait}; echo "last $((2 + 2))"`,
        timeout_seconds: 120,
      };
      const card = await showCard({ page, context }, { html, tool: 'run_in_terminal', args }, viaClient);
      const outcome = client.callTool({ name: 'run_in_terminal', arguments: args });
      const code = (await card.locator('.state .mono').innerText()).trim();
      const owner = await context.newPage();
      await openAs(owner, `/approvals/${code}`);
      await owner.getByRole('button', { name: 'Approve once' }).click();
      await card.locator('.live').getByText('first 2').waitFor();
      await card.getByText('Running').waitFor();
      writeFileSync(go, '');
      expect((await outcome).isError).toBe(false);
      // The card asks for the end by itself.
      await card.getByText('Exit code 0').waitFor();
      await card.getByText('last 4').waitFor();
      expect(await card.locator('.live').count()).toBe(0);
    });
  });
});

describe('a card', () => {
  it('reaches nothing but the program that shows it, even if its script were another', async () => {
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const context = await browser.newContext();
    const page = await context.newPage();
    await openAs(page, '/approvals');
    await showCard({ page, context }, { html, tool: 'create_file' }, { callTool: () => ({ content: [] }) });
    const reached: Request[] = [];
    context.on('request', (request) => reached.push(request));
    const frame = page.frames().find((one) => one.url() === 'about:srcdoc');
    const tried = await frame?.evaluate(async (origin) => {
      const url = `${origin}/api/owner/approvals/0000-0000`;
      const said: string[] = [];
      const attempt = async (name: string, act: () => unknown) => {
        try {
          await act();
        } catch {
          said.push(name);
        }
      };
      await attempt('fetch', () => fetch(url, { method: 'POST', credentials: 'include' }));
      await attempt('markup', () => {
        document.body.innerHTML = '<p>x</p>';
      });
      await attempt('cookies', () => document.cookie);
      await attempt('storage', () => localStorage.length);
      await attempt('the page around it', () => parent.document.body);
      await attempt('the chat', () => parent.parent.document.body);
      navigator.sendBeacon(url, 'x');
      for (const [name, attribute] of [
        ['img', 'src'],
        ['iframe', 'src'],
        ['link', 'href'],
      ] as const) {
        const made = document.createElement(name);
        made.setAttribute('rel', 'stylesheet');
        made.setAttribute(attribute, url);
        document.body.append(made);
      }
      const form = document.createElement('form');
      form.method = 'post';
      form.action = url;
      document.body.append(form);
      form.submit();
      open(url);
      return said;
    }, rest);
    expect(tried).toEqual(['fetch', 'markup', 'cookies', 'storage', 'the page around it', 'the chat']);
    // Whatever was let out would be on its way by the time the next page has answered.
    await page.evaluate(() => fetch('/host.js'));
    const out = () =>
      reached.filter(
        (one) => !one.url().startsWith('http://host.invalid/') && one.failure()?.errorText !== 'csp',
      );
    await expect.poll(out, { timeout: SOON_MS }).toEqual([]);
    expect(context.pages()).toHaveLength(1);
  });
});
