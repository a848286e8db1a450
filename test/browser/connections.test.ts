import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { registerApp } from '../support/oauth-app.ts';
import { callback } from '../support/oauth-loopback.ts';
import { letIn, signIn } from '../support/oauth-owner.ts';
import { promised } from '../support/soon.ts';
import { startUp, type Up } from '../support/up.ts';
import { expectLegible } from './legible.ts';
import { looks } from './looks.ts';
import { openConnections, useBrowser } from './visit.ts';

const { mcp, rest } = inject('product');
const visit = useBrowser();

/** Says hello as a script with that token would, or the status it is turned away with. */
async function helloWith(token: string, address = mcp): Promise<unknown> {
  const client = new Client({ name: 'a script', version: '1' });
  const headers = { authorization: `Bearer ${token}` };
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
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
      await page.getByRole('button', { name: 'Create token' }).click();
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
      await page.getByRole('button', { name: 'Create token' }).click();
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

describe('revoking everything', () => {
  // A product of its own: nothing of it is of use afterwards.
  const home = mkdtempSync(join(tmpdir(), 'bowline-revoked-'));
  let back: Awaited<ReturnType<typeof callback>>;
  let up: Up;
  beforeAll(async () => {
    [back, up] = await Promise.all([callback(), startUp({ home })]);
  });
  afterAll(async () => {
    await Promise.all([back?.close(), up?.stop()]);
    rmSync(home, { recursive: true, force: true });
  });

  it('shuts out apps, tokens and every browser within 5 s, this one too', async () => {
    const { rest, mcp, owner_key: ownerKey } = up.ready;
    await visit({ origins: [back.origin, rest] }, async (page, context) => {
      const app = await registerApp(rest, { name: 'Notebook', redirectUrl: back.redirectUrl });
      await letIn(page, app.ask(), ownerKey);
      const { access_token: access, refresh_token: refresh } = await app.redeem(await back.answers.next());
      await page.goto(`${rest}/connections`);
      await page.getByLabel('Name').first().fill('Soon gone');
      await page.getByRole('button', { name: 'Create token' }).click();
      const secret = await page.locator('code.secret').innerText();
      expect([await helloWith(access, mcp), await helloWith(secret, mcp)]).toEqual([
        'Hello, Ada!',
        'Hello, Ada!',
      ]);
      const [session] = await context.cookies();

      const began = Date.now();
      await page.getByRole('button', { name: 'Revoke everything' }).click();
      await page.getByLabel('Owner key').waitFor();
      expect([await helloWith(access, mcp), await helloWith(secret, mcp)]).toEqual([401, 401]);
      expect(Date.now() - began).toBeLessThan(promised(5_000));
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
      expect(text).toContain(`No app yet. Add ${mcp} as a connector`);
      expect(await page.getByRole('button', { name: /^Sign out the session/ }).count()).toBe(1);
    });
  });
});
