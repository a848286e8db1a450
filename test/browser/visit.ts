import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { signIn } from '../support/oauth-owner.ts';

export interface Expected {
  readonly options?: BrowserContextOptions;
  /** HTTP statuses that the browser may complain of, because the test asks for them. */
  readonly statuses?: readonly number[];
  /** Other complaints that the test means to cause. */
  readonly complaints?: RegExp;
  /** Origins besides the product's that may be spoken to. */
  readonly origins?: readonly string[];
}

export type Visit = (
  expected: Expected,
  act: (page: Page, context: BrowserContext) => Promise<void>,
) => Promise<void>;

/** A browser for the tests of a file. Each visit is a new person in it, and must be free of trouble. */
export function useBrowser(): Visit {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  return async (expected, act) => {
    const context = await browser.newContext(expected.options);
    try {
      const troubles = await watch(context, expected);
      await act(await context.newPage(), context);
      expect(troubles).toEqual([]);
    } finally {
      await context.close();
    }
  };
}

/** Everything that a well-made page never causes. */
async function watch(
  context: BrowserContext,
  { statuses = [], complaints, origins = [] }: Expected,
): Promise<string[]> {
  const troubles: string[] = [];
  const own = new URL(inject('product').rest).origin;
  const isExpected = (text: string) =>
    complaints?.test(text) ||
    statuses.some((status) =>
      text.startsWith(`Failed to load resource: the server responded with a status of ${status}`),
    );
  context.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message.text()))
      troubles.push(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => troubles.push(`exception: ${error.error()}`));
  context.on('dialog', async (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && origin !== own && !origins.includes(origin))
      troubles.push(`request: ${request.url()}`);
  });
  await context.exposeBinding('reportViolation', (_, what: string) => troubles.push(`policy: ${what}`));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { reportViolation } = window as unknown as { reportViolation(what: string): void };
      reportViolation(`${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  return troubles;
}

/** Signs the owner in, and leaves them on the page of what is let in. */
export async function openConnections(page: Page): Promise<void> {
  const { rest, owner_key: ownerKey } = inject('product');
  await page.goto(`${rest}/connections`);
  await signIn(page, ownerKey);
  await page.getByRole('heading', { name: 'Connections' }).waitFor();
}
