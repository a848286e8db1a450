import { generateKeyPairSync } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { registerApp } from '../support/oauth-app.ts';
import { callback } from '../support/oauth-loopback.ts';
import { letIn, signIn } from '../support/oauth-owner.ts';
import { expectLegible } from './legible.ts';
import { looks, useBrowser } from './visit.ts';

const { mcp, rest, owner_key: ownerKey } = inject('product');
const visit = useBrowser();

async function openConnections(page: Page): Promise<void> {
  await page.goto(`${rest}/connections`);
  await signIn(page, ownerKey);
  await page.getByRole('heading', { name: 'Connections' }).waitFor();
}

/** Says hello as a script with that token would, or the status it is turned away with. */
async function helloWith(token: string): Promise<unknown> {
  const client = new Client({ name: 'a script', version: '1' });
  const headers = { authorization: `Bearer ${token}` };
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(mcp), { requestInit: { headers } }));
    const { structuredContent } = await client.callTool({ name: 'hello', arguments: { name: 'Ada' } });
    return (structuredContent as { greeting: string }).greeting;
  } catch (error) {
    return (error as { status?: number }).status ?? error;
  } finally {
    await client.close();
  }
}

describe.each(looks)('a token, $look', ({ options }) => {
  it('is made and shown once, works, and stops when revoked', async () => {
    await visit({ options }, async (page) => {
      await openConnections(page);
      await page.getByLabel('Name').first().fill('Nightly report');
      await page.getByLabel('Days until it expires').fill('7');
      await page.getByRole('button', { name: 'Make it' }).click();
      await page.getByText('It is not shown again.').waitFor();
      await expectLegible(page);
      const secret = await page.locator('code.secret').innerText();
      expect(await helloWith(secret)).toBe('Hello, Ada!');
      await page.goto(`${rest}/connections`);
      expect(await page.content()).not.toContain(secret);
      const row = page.getByRole('row').filter({ hasText: 'Nightly report' });
      expect(await row.innerText()).toMatch(/Nightly report\s+(May )?read\s/);
      await row.getByRole('button', { name: 'Revoke Nightly report' }).click();
      await row.waitFor({ state: 'detached' });
      expect(await helloWith(secret)).toBe(401);
    });
  });
});

describe('the token form', () => {
  it('says what is missing', async () => {
    await visit({ statuses: [400] }, async (page) => {
      await openConnections(page);
      await page.getByLabel('Name').first().fill('For nothing');
      await page.getByRole('checkbox', { checked: true }).uncheck();
      await page.getByRole('button', { name: 'Make it' }).click();
      await page.getByRole('alert').getByText('at least one thing it may do').waitFor();
      await expectLegible(page);
    });
  });
});

describe('a session', () => {
  it('can be ended from another browser', async () => {
    await visit({}, async (here) => {
      await openConnections(here);
      await visit({ options: { userAgent: 'Mozilla/5.0 (iPhone) Safari/604.1' } }, async (there) => {
        await openConnections(there);
        await here.reload();
        const row = here.getByRole('row').filter({ hasText: 'Safari on iPhone' });
        await row.getByRole('button').click();
        await row.waitFor({ state: 'detached' });
        await there.reload();
        expect(new URL(there.url()).pathname).toBe('/signin');
      });
      await here.reload();
      expect(new URL(here.url()).pathname).toBe('/connections');
    });
  });
});

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

describe('revoking everything', () => {
  let back: Awaited<ReturnType<typeof callback>>;
  beforeAll(async () => {
    back = await callback();
  });
  afterAll(() => back?.close());

  it('shuts out apps, tokens and every browser within 5 s, this one too', async () => {
    await visit({ origins: [back.origin] }, async (page, context) => {
      const app = await registerApp(rest, { name: 'Notebook', redirectUrl: back.redirectUrl });
      await letIn(page, app.ask(), ownerKey);
      const { access_token: access, refresh_token: refresh } = await app.redeem(await back.answers.next());
      await page.goto(`${rest}/connections`);
      await page.getByLabel('Name').first().fill('Soon gone');
      await page.getByRole('button', { name: 'Make it' }).click();
      const secret = await page.locator('code.secret').innerText();
      expect([await helloWith(access), await helloWith(secret)]).toEqual(['Hello, Ada!', 'Hello, Ada!']);
      const [session] = await context.cookies();

      const began = Date.now();
      await page.getByRole('button', { name: 'Revoke everything' }).click();
      await page.getByLabel('Owner key').waitFor();
      expect([await helloWith(access), await helloWith(secret)]).toEqual([401, 401]);
      expect(Date.now() - began).toBeLessThan(5_000);
      const renewed = await fetch(`${rest}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          client_id: app.clientId,
          refresh_token: refresh ?? '',
        }),
      });
      expect([renewed.status, await renewed.json()]).toEqual([
        400,
        expect.objectContaining({ error: 'invalid_grant' }),
      ]);
      if (session) await context.addCookies([session]);
      await page.goto(`${rest}/connections`);
      expect(new URL(page.url()).pathname).toBe('/signin');
      await signIn(page, ownerKey);
      await page.getByRole('heading', { name: 'Connections' }).waitFor();
      const text = await page.locator('main').innerText();
      expect(text).toContain(`None yet. Add ${mcp} as a connector`);
      expect(await page.getByRole('button', { name: /^Sign out the session/ }).count()).toBe(1);
    });
  });
});
