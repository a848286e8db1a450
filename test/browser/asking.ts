import type { Response as Answer, Page } from 'playwright-core';
import { inject } from 'vitest';
import { signIn } from '../support/oauth-owner.ts';

const { rest, token, owner_key: ownerKey } = inject('product');

/** Calls a tool as a script would. */
export async function callTool(name: string, args: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${rest}/tools/${name}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(args),
  });
  return answer.json();
}

/** A call that waits for the owner, and what becomes of it. */
export function askFor(text: string): Promise<unknown> {
  return callTool('write_memory_entry', {
    file: 'decisions.jsonl',
    entry: { timestamp: '2026-01-31T12:00:00Z', type: 'decision', text },
  });
}

/** Opens a page of the console as the signed-in owner. */
export async function openAs(page: Page, path: string): Promise<Answer | null> {
  await page.goto(`${rest}/signin`);
  await signIn(page, ownerKey);
  await page.waitForURL(`${rest}/`);
  return page.goto(rest + path);
}

/** The codes of what waits just now, newest first, as the owner's own API has them. */
export function waitingCodes(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { approvals } = await (await fetch('/api/owner/approvals?state=pending')).json();
    return (approvals as { code: string }[]).map(({ code }) => code);
  });
}

/** Says no to everything that waits, so that one test leaves nothing to the next. */
export async function clearTheDesk(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const csrf = document.querySelector<HTMLInputElement>('header input[name=csrf]')?.value ?? '';
    const { approvals } = await (await fetch('/api/owner/approvals?state=pending')).json();
    for (const { code } of approvals as { code: string }[]) {
      await fetch(`/api/owner/approvals/${code}`, {
        method: 'POST',
        headers: { 'x-csrf-token': csrf, 'content-type': 'application/json' },
        body: JSON.stringify({ decision: 'deny' }),
      });
    }
  });
}
