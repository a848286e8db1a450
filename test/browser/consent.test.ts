import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { AT_LENGTH } from '../support/at-length.ts';
import { type BareApp, registerApp } from '../support/oauth-app.ts';
import { callback, type Loopback, loopback } from '../support/oauth-loopback.ts';
import { shutOut, signIn } from '../support/oauth-owner.ts';
import { expectLegible, tabTo } from './legible.ts';
import { looks, phone } from './looks.ts';
import { useBrowser } from './visit.ts';

const { rest, owner_key: ownerKey } = inject('product');
const visit = useBrowser();

let back: Awaited<ReturnType<typeof callback>>;
let app: BareApp;
beforeAll(async () => {
  back = await callback();
  app = await registerApp(rest, { name: 'Notebook', redirectUrl: back.redirectUrl });
});
afterAll(() => back?.close());

/** Opens an app's address and signs in, up to its question. */
async function askedBy(page: Page, address: URL): Promise<void> {
  await page.goto(address.href);
  await signIn(page, ownerKey);
  await page.getByRole('button', { name: 'Allow' }).waitFor();
}

/** What the Connections page says of the apps that are let in. */
async function connectedApps(page: Page): Promise<string> {
  await page.goto(`${rest}/connections`);
  const apps = page.locator('section.card').filter({ has: page.getByRole('heading', { name: 'Apps' }) });
  return apps.innerText();
}

describe.each(looks)('the question whether to let an app in, $look', ({ options }) => {
  it('says who asks and where access goes, and takes a yes by keyboard alone', async () => {
    await visit({ options, origins: [back.origin] }, async (page) => {
      await page.goto(app.ask().href);
      await page.locator(':focus').waitFor();
      await page.keyboard.type(ownerKey);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Let “Notebook” use your Bowline?' }).waitFor();
      await expectLegible(page);
      const text = await page.locator('main').innerText();
      expect(text).toMatch(/Published by\s+unknown: the app chose its own name/);
      expect(text).toMatch(/Access goes to\s+127\.0\.0\.1/);
      expect(text).toContain('a program on your own computer');
      const way = await tabTo(page, 'Allow');
      expect(way.slice(-5)).toEqual([
        // The last of the navigation; on a phone it is behind the menu.
        expect.stringMatching(/^(Keys|Menu)$/),
        expect.stringMatching(/^Read /),
        expect.stringMatching(/^Add /),
        expect.stringMatching(/^Use /),
        'Allow',
      ]);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${back.redirectUrl}?*`);
      const answer = await back.answers.next();
      expect(Object.fromEntries(answer)).toEqual({
        code: expect.any(String),
        state: 'a state of the app',
        iss: rest,
      });
      expect((await app.redeem(answer)).scope).toBe('read write machine');
    });
  });

  it('takes a no, and lets nothing in', async () => {
    await visit({ options, origins: [back.origin] }, async (page) => {
      const refused = await registerApp(rest, { name: 'Unwelcome', redirectUrl: back.redirectUrl });
      await askedBy(page, refused.ask());
      await tabTo(page, 'Deny');
      await page.keyboard.press('Enter');
      await page.waitForURL(`${back.redirectUrl}?*`);
      expect(Object.fromEntries(await back.answers.next())).toMatchObject({
        error: 'access_denied',
        state: 'a state of the app',
        iss: rest,
      });
      expect(await connectedApps(page)).not.toContain('Unwelcome');
      await expectLegible(page);
    });
  });
});

describe('what an app may do', () => {
  it('is what the owner leaves ticked', async () => {
    await visit({ origins: [back.origin] }, async (page) => {
      await askedBy(page, app.ask());
      await tabTo(
        page,
        'Add to your memory (each entry needs your approval, unless a rule of yours allows it)',
      );
      await page.keyboard.press('Space');
      await page.getByRole('checkbox', { name: 'Use your machines' }).uncheck();
      await page.getByRole('button', { name: 'Allow' }).click();
      expect((await app.redeem(await back.answers.next())).scope).toBe('read');
      expect(await connectedApps(page)).toMatch(/Notebook\s+read\s/);
    });
  });

  it('begins with what it asked for', async () => {
    await visit({ origins: [back.origin] }, async (page) => {
      await askedBy(page, app.ask('read machine'));
      const ticked = await page
        .getByRole('checkbox', { checked: true })
        .evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).value));
      expect(ticked).toEqual(['read', 'machine']);
    });
  });

  it('cannot be nothing', async () => {
    await visit({ statuses: [400] }, async (page) => {
      await askedBy(page, app.ask());
      for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('Nothing was granted.').waitFor();
      await expectLegible(page);
    });
  });

  it('is not for somebody to decide who has signed out since', async () => {
    await visit({ statuses: [400] }, async (page, context) => {
      await askedBy(page, app.ask());
      const other = await context.newPage();
      await other.goto(rest);
      await other.getByRole('button', { name: 'Sign out' }).click();
      await other.getByLabel('Owner key').waitFor();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('You are not signed in here.').waitFor();
    });
  });
});

describe('the way back to an app', () => {
  let elsewhere: Loopback;
  let hop: Loopback;
  let web: Loopback;
  beforeAll(async () => {
    elsewhere = await loopback((_, response) => response.end('Arrived.'));
    hop = await loopback((_, response) => response.writeHead(302, { location: elsewhere.origin }).end());
    web = await loopback((request, response) => {
      response.setHeader('content-type', 'text/html');
      const tellOpener = '<script>opener.postMessage(location.search, "*")</script>';
      response.end(`<!doctype html><link rel="icon" href="data:,">${request.url === '/' ? '' : tellOpener}`);
    });
  });
  afterAll(() => Promise.all([elsewhere?.close(), hop?.close(), web?.close()]));

  it('may lead through its callback to somewhere else, as claude.ai does', async () => {
    await visit({ origins: [hop.origin, elsewhere.origin] }, async (page) => {
      const hopping = await registerApp(rest, { name: 'Hopping', redirectUrl: `${hop.origin}/callback` });
      await askedBy(page, hopping.ask());
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('Arrived.').waitFor();
    });
  });

  it('is open to an app in a web page that asks in a window of its own', async () => {
    await visit({ origins: [web.origin] }, async (page) => {
      const inPage = await registerApp(rest, { name: 'In a page', redirectUrl: `${web.origin}/callback` });
      await page.goto(web.origin);
      const heard = page.evaluate((address) => {
        const answer = new Promise<string>((done) => {
          window.addEventListener('message', ({ data }) => done(data));
        });
        Object.assign(window, { asking: window.open(address, 'asking', 'width=500,height=700') });
        return answer;
      }, inPage.ask().href);
      const asking = await page.waitForEvent('popup');
      await signIn(asking, ownerKey);
      await asking.getByRole('button', { name: 'Allow' }).waitFor();
      // Apps take a closed window for a no.
      expect(await page.evaluate(() => (window as unknown as { asking: Window }).asking.closed)).toBe(false);
      await asking.getByRole('button', { name: 'Allow' }).click();
      expect(await heard).toContain('code=');
    });
  });
});

describe('an app with a hostile name', () => {
  const names = {
    'a script': ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    'markup that runs': ['"><img src=x onerror=alert(1)>', '"><img src=x onerror=alert(1)>'],
    'letters that run backwards': ['Claude \u202egnp.ia', 'Claude \\u{202e}gnp.ia'],
    'letters nobody sees': ['Cla\u200bude\u0000\u2066', 'Cla\\u{200b}ude\\u{0}\\u{2066}'],
    'no end': ['W'.repeat(300), `${'W'.repeat(80)}…`],
  } as const;

  const tried = Object.entries(names);
  it.each(AT_LENGTH ? tried : tried.slice(1, 3))('is shown as what it is: %s', async (_, [name, shown]) => {
    const hostile = await registerApp(rest, { name, redirectUrl: back.redirectUrl });
    await visit({ options: phone.options, origins: [back.origin] }, async (page) => {
      await askedBy(page, hostile.ask());
      expect(await page.getByRole('heading').innerText()).toBe(`Let “${shown}” use your Bowline?`);
      await expectLegible(page);
      await page.getByRole('button', { name: 'Allow' }).click();
      await back.answers.next();
      expect(await connectedApps(page)).toContain(shown);
      await expectLegible(page);
      expect(await page.locator('script:not([src]), img').count()).toBe(0);
      await shutOut(page, rest, shown.slice(0, 20));
    });
  });
});
