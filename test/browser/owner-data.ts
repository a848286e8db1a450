import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { signIn } from '../support/oauth-owner.ts';

/** What a stranger would like to have run, or read as something else. */
export const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>\u202egnp.exe\u200b';
/** The same as a page has to show it. */
export const HARMLESS = '"><img src=x onerror=alert(1)><script>alert(2)</script>\\u{202e}gnp.exe\\u{200b}';

/** Opens a page of the owner's, signing in on the way if need be. */
export async function open(page: Page, path: string): Promise<void> {
  const { rest, owner_key: ownerKey } = inject('product');
  await page.goto(rest + path);
  if (new URL(page.url()).pathname === '/signin') {
    await signIn(page, ownerKey);
    await page.waitForURL((url) => url.pathname !== '/signin');
  }
}

/** Writes an entry into the memory, as the owner may. Needs a page of theirs that is open. */
export async function remember(page: Page, file: string, entry: unknown): Promise<void> {
  const csrf = await page.locator('input[name=csrf]').first().inputValue();
  const status = await page.evaluate(
    async ([token, body]) => {
      const headers = { 'content-type': 'application/json', 'x-csrf-token': token };
      return (await fetch('/api/owner/memory/entries', { method: 'POST', headers, body })).status;
    },
    [csrf, JSON.stringify({ file, entry })] as const,
  );
  expect(status).toBe(200);
}

/** Mirrors a commit that holds these files and no others. */
export async function mirror(files: Readonly<Record<string, string>>): Promise<void> {
  const { rest, token } = inject('product');
  const post = async (path: string, body: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${rest}/api/mirror/pushes${path}`, { method: 'POST', headers, body });
    return (await answer.json()) as { kind: string; id: string; lacking: string[] };
  };
  const contents = new Map<string, string>();
  const listed = Object.entries(files).map(([path, text]) => {
    const size = Buffer.byteLength(text);
    const sha = createHash('sha1').update(`blob ${size}\0${text}`).digest('hex');
    contents.set(sha, text);
    return { path, sha, size, mode: '100644', modified: Date.now() };
  });
  const about = { commit: 'c'.repeat(40), committedAt: Date.now(), branch: 'main', base: null };
  const push = {
    ...about,
    open: ['docs/**'],
    files: listed,
    removed: [],
    complete: true,
  };
  const opened = await post('', JSON.stringify(push));
  if (opened.kind === 'done') return;
  const sent = opened.lacking.map((sha) => contents.get(sha) ?? '');
  const head = { blobs: opened.lacking.map((sha, at) => ({ sha, size: Buffer.byteLength(sent[at] ?? '') })) };
  const done = await post(`/${opened.id}/blobs`, `${JSON.stringify(head)}\n${sent.join('')}`);
  expect(done.kind).toBe('done');
}
