import { generateKeyPairSync } from 'node:crypto';
import type { CDPSession, Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { expectLegible } from './legible.ts';
import { openConnections, useBrowser } from './visit.ts';

const { rest } = inject('product');
const visit = useBrowser();

/** A fingerprint reader or its like, built into the computer, whose person always touches it. */
async function authenticator(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

const addPasskey = async (page: Page, name: string) => {
  const form = page.locator('form[data-passkey=register]');
  await form.getByLabel('Name').fill(name);
  await form.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('row').filter({ hasText: name }).waitFor();
};

const signOut = async (page: Page) => {
  await page.getByRole('navigation').getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Owner key').waitFor();
};

const usePasskey = (page: Page) => page.getByRole('button', { name: 'Use a passkey' }).click();

describe('a passkey', () => {
  it('is added, lets its owner in where they were going, and no longer once removed', async () => {
    await visit({ statuses: [403] }, async (page, context) => {
      await openConnections(page);
      const { cdp, authenticatorId } = await authenticator(page);
      await addPasskey(page, 'My laptop');
      await expectLegible(page);
      await signOut(page);
      await page.goto(`${rest}/connections`);
      await expectLegible(page);
      await usePasskey(page);
      await page.getByRole('heading', { name: 'Connections' }).waitFor();
      const row = page.getByRole('row').filter({ hasText: 'My laptop' });
      expect(await row.innerText()).not.toContain('never');
      // A second one on the same computer would be of no use; the browser says so.
      const form = page.locator('form[data-passkey=register]');
      await form.getByLabel('Name').fill('Twice');
      await form.getByRole('button', { name: 'Add a passkey' }).click();
      await form.getByRole('alert').filter({ hasText: /\w/ }).waitFor();

      // Removed while another window already offers it: the gateway has the last word.
      const waiting = await (await context.browser()?.newContext())?.newPage();
      if (!waiting) throw new Error('The browser is gone.');
      const other = await authenticator(waiting);
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
      for (const credential of credentials) {
        await other.cdp.send('WebAuthn.addCredential', {
          authenticatorId: other.authenticatorId,
          credential,
        });
      }
      await waiting.goto(`${rest}/signin`);
      await row.getByRole('button', { name: 'Remove My laptop' }).click();
      await row.waitFor({ state: 'detached' });
      await usePasskey(waiting);
      await waiting.getByRole('alert').getByText('That passkey was not accepted.').waitFor();
      await waiting.context().close();
      await signOut(page);
      expect(await page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);
    });
  });

  it('is not taken from an authenticator that does not have it, or has another under its name', async () => {
    await visit({ statuses: [403] }, async (page) => {
      await openConnections(page);
      const { cdp, authenticatorId } = await authenticator(page);
      await addPasskey(page, 'The real one');
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
      await signOut(page);
      await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });

      const { authenticatorId: stranger } = await authenticator(page);
      await usePasskey(page);
      await page.getByRole('alert').getByText('The passkey was not used.').waitFor();
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const forged = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
      for (const credential of credentials) {
        await cdp.send('WebAuthn.addCredential', {
          authenticatorId: stranger,
          credential: { ...credential, privateKey: forged },
        });
      }
      await usePasskey(page);
      await page.getByRole('alert').getByText('That passkey was not accepted.').waitFor();
      expect(new URL(page.url()).pathname).toBe('/signin');

      await cdp.send('WebAuthn.clearCredentials', { authenticatorId: stranger });
      for (const credential of credentials) {
        await cdp.send('WebAuthn.addCredential', { authenticatorId: stranger, credential });
      }
      await usePasskey(page);
      await page.getByRole('heading', { name: 'Your Bowline is up' }).waitFor();
      await page.goto(`${rest}/connections`);
      const row = page.getByRole('row').filter({ hasText: 'The real one' });
      await row.getByRole('button').click();
      await row.waitFor({ state: 'detached' });
    });
  });
});
