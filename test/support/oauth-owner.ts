import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';

/** Fills in the sign-in page that is open. */
export async function signIn(page: Page, ownerKey: string): Promise<void> {
  await page.getByLabel('Owner key').fill(ownerKey);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Follows an app's address and says yes to it, signing in on the way if need be. */
export async function letIn(page: Page, address: URL, ownerKey: string): Promise<void> {
  await page.goto(address.href);
  if (new URL(page.url()).pathname === '/signin') await signIn(page, ownerKey);
  await untilListening(new URL(address.searchParams.get('redirect_uri') ?? ''));
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL((url) => url.origin !== address.origin);
}

/** Shuts an app out on the Connections page. */
export async function shutOut(page: Page, console: string, appName: string): Promise<void> {
  await page.goto(new URL('/connections', console).href);
  const button = page.getByRole('button', { name: `Revoke ${appName}` });
  await button.click();
  await button.waitFor({ state: 'detached' });
}

/** An app may open the browser before it listens for the answer; a person is never as quick as we are. */
export async function untilListening({ hostname, port }: URL): Promise<void> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const socket = connect(Number(port), hostname);
    try {
      await once(socket, 'connect');
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await wait(20);
    } finally {
      socket.destroy();
    }
  }
}
