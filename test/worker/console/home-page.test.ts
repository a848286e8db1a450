import { env } from 'cloudflare:workers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SOON_MS } from '../../support/soon.ts';
import { api, browser, later, type OwnerBrowser, signedIn } from '../auth/owner.ts';

const HOUR = 3_600_000;
const gate = () => env.GATE.get(env.GATE.idFromName('owner'));

const home = async (own: OwnerBrowser) => (await own.send('/')).text();
const call = async (own: OwnerBrowser, tool: string, fields: Record<string, string>) =>
  (await own.submit(`/catalogue/${tool}`, { csrf: own.csrf, ...fields })).text();
/** What a tile says, by its name. */
const tile = (html: string, name: string) =>
  new RegExp(`<span class="value">([^<]*)</span> <span class="name">${name}`).exec(html)?.[1];

// In this order: a gateway that nothing happened in, and then one in which it did.
describe('the first page', () => {
  it('says what to do where nothing happened yet', async () => {
    const html = await home(await signedIn());
    expect(tile(html, 'calls in 24 hours')).toBe('0');
    expect(tile(html, 'machines online')).toBe('0 of 0');
    expect(html).toContain('Calls show up here as they are made.');
    expect(html).toContain('No machine is paired');
  });

  it('counts the last day’s calls, and shows what waits', async () => {
    const own = await signedIn();
    for (const name of ['Ada', 'Eve', 'x'.repeat(101)]) await call(own, 'hello', { 'arg.name': name });
    const entry = { 'arg.file': 'best_practices.md', 'arg.entry': '- waits' };
    await call(own, 'write_memory_entry', entry);
    // The ends of calls travel by themselves.
    await vi.waitUntil(
      async () => {
        const { entries } = await gate().ledger({ limit: 10 });
        return entries.length === 4 && entries.every(({ outcome }) => outcome !== null);
      },
      { timeout: SOON_MS },
    );
    const [waiting] = await gate().approvals('pending');
    const html = await home(own);
    expect(tile(html, 'waiting for you')).toBe('1');
    expect(html).toContain(`/approvals/${waiting?.code}`);
    expect(tile(html, 'calls in 24 hours')).toBe('4');
    expect(/[^<>]*calls in the last[^<>]*/.exec(html)?.[0]).toBe(
      '4 calls in the last 24 hours, of which 1 failed and 1 waited for you.',
    );
    expect(html).toContain('href="/ledger?tool=hello"');
    expect(html).toMatch(/Half of the calls took \d+ ms or less/);
  });

  it('counts what the owner denied as a call, and not as one that failed', async () => {
    const own = await signedIn();
    const [waiting] = await gate().approvals('pending');
    await api(own, 'POST', `approvals/${waiting?.code}`, { decision: 'deny' });
    await call(own, 'write_memory_entry', { 'arg.file': 'best_practices.md', 'arg.entry': '- waits' });
    await vi.waitUntil(
      async () => (await gate().ledger({ limit: 1 })).entries[0]?.code === 'approval_denied',
      { timeout: SOON_MS },
    );
    expect(await home(own)).toContain('5 calls in the last 24 hours, of which 1 failed');
  });

  it('leaves out what is older than a day', async () => {
    onTestFinished(() => void vi.useRealTimers());
    later(12 * HOUR);
    expect(tile(await home(await signedIn()), 'calls in 24 hours')).toBe('5');
    // Thirteen more: a day and an hour by now.
    later(13 * HOUR);
    const html = await home(await signedIn());
    expect(tile(html, 'calls in 24 hours')).toBe('0');
    expect(html).not.toContain('href="/ledger?tool=hello"');
  });

  it('wakes whoever waits for news, with a number and nothing else', async () => {
    const own = await signedIn();
    const { at, ...rest } = await (await own.send('/live')).json<{ at: number }>();
    expect(Object.values(rest).every((value) => typeof value === 'number')).toBe(true);
    const news = own.send(`/live?after=${at}`);
    await call(own, 'write_memory_entry', { 'arg.file': 'best_practices.md', 'arg.entry': '- more' });
    expect((await (await news).json<{ at: number }>()).at).toBeGreaterThan(at);
    expect((await browser().send('/live')).status).toBe(303);
    expect((await browser().send('/')).headers.get('location')).toBe('/signin');
  });
});
