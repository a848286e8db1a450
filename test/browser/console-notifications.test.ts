import type { BrowserContext } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { SOON_MS } from '../support/soon.ts';
import { openAs } from './asking.ts';
import { expectLegible } from './legible.ts';
import { useBrowser } from './visit.ts';

const { rest } = inject('product');
const visit = useBrowser();

/** A push service that grants every wish: the browser's own is somewhere on the internet. */
async function withPushService(context: BrowserContext): Promise<void> {
  await context.grantPermissions(['notifications'], { origin: rest });
  await context.addInitScript(() => {
    let current: object | null = null;
    const made = (key: ArrayBuffer) => ({
      endpoint: `https://push.example.com/${new Uint8Array(key).length}`,
      toJSON: () => ({
        endpoint: `https://push.example.com/${new Uint8Array(key).length}`,
        keys: { p256dh: 'cGs', auth: 'YXU' },
      }),
      unsubscribe: async () => {
        sessionStorage.removeItem('subscribed');
        return true;
      },
    });
    PushManager.prototype.subscribe = async (options) => {
      current = made(options?.applicationServerKey as ArrayBuffer);
      sessionStorage.setItem('subscribed', '65');
      return current as PushSubscription;
    };
    PushManager.prototype.getSubscription = async () =>
      (sessionStorage.getItem('subscribed') ? made(new ArrayBuffer(65)) : null) as PushSubscription | null;
  });
}

describe('a browser', () => {
  it('is signed up with the gateway’s key, listed, and signed out again', async () => {
    await visit({}, async (page, context) => {
      await withPushService(context);
      await openAs(page, '/notifications');
      await page.getByRole('button', { name: 'Turn on notifications' }).click();
      await page.getByRole('button', { name: 'Turn off notifications' }).waitFor();
      // The host is enough to tell it by; whoever has the whole address can send to it.
      expect(await page.locator('main').innerText()).toContain('push.example.com');
      const sent = await page.evaluate(async () => (await fetch(location.href)).text());
      expect(sent).not.toContain('push.example.com/65');
      await expectLegible(page);
      const stored = await page.evaluate(async () => (await fetch('/api/owner/settings/push')).json());
      expect(stored).toEqual({
        value: [{ endpoint: 'https://push.example.com/65', keys: { p256dh: 'cGs', auth: 'YXU' } }],
      });
      await page.getByRole('button', { name: 'Turn off notifications' }).click();
      await page.getByRole('button', { name: 'Turn on notifications' }).waitFor();
      expect(await page.locator('main').innerText()).not.toContain('push.example.com');
    });
  });

  it('shows what is pushed to it, with scripts of ours alone', async () => {
    await visit({}, async (page, context) => {
      await withPushService(context);
      await openAs(page, '/notifications');
      const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
      await page.evaluate(async () => {
        await navigator.serviceWorker.ready;
      });
      // A browser without a screen shows nothing; what it would have shown is kept instead.
      await worker.evaluate(() => {
        const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
        const shown: unknown[] = [];
        Object.assign(self, { shown });
        registration.showNotification = async (title, options) => {
          shown.push({ title, ...options });
        };
      });
      const devtools = await context.newCDPSession(page);
      const registered = new Promise<string>((done) => {
        devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
          if (registrations[0]) done(registrations[0].registrationId);
        });
      });
      await devtools.send('ServiceWorker.enable');
      await devtools.send('ServiceWorker.deliverPushMessage', {
        origin: rest,
        registrationId: await registered,
        data: JSON.stringify({
          title: 'create_file waits',
          body: 'Claude asks.',
          url: `${rest}/approvals/X`,
          tag: 'X',
        }),
      });
      const shown = () => worker.evaluate(() => (self as unknown as { shown: unknown[] }).shown);
      await expect.poll(shown, { timeout: SOON_MS }).toMatchObject([
        {
          title: 'create_file waits',
          body: 'Claude asks.',
          tag: 'X',
          data: { url: `${rest}/approvals/X` },
        },
      ]);
    });
  });
});

describe('a topic', () => {
  it('is added, tried, and removed; its address stays a secret', async () => {
    await visit({ statuses: [400] }, async (page) => {
      await openAs(page, '/notifications');
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('Nobody can be notified yet. Add a browser or an address.').waitFor();
      await page.getByLabel('Address').fill('ftp://example.com/x');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.locator('#problem-url').getByText('begins with https://').waitFor();
      await expectLegible(page);
      // Nobody is asked at an address that is not public.
      await page.getByLabel('Address').fill('http://127.0.0.1/secret-topic');
      await page.getByLabel('Token (optional)').fill('tk_1');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('with a token').waitFor();
      expect(await page.content()).not.toMatch(/secret-topic|tk_1/);
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('127.0.0.1 was not asked').waitFor();
      await page.getByRole('button', { name: 'Remove 127.0.0.1' }).click();
      await page.getByText('No topic or webhook yet.').waitFor();
    });
  });
});

describe('the console as an app', () => {
  it('can be installed: name, icons and a start that answer', async () => {
    await visit({}, async (page) => {
      await openAs(page, '/');
      const sizes = await page.evaluate(async () => {
        const link = document.querySelector<HTMLLinkElement>('link[rel=manifest]');
        const manifest = await (await fetch(link?.href ?? '')).json();
        const images = (manifest.icons as { src: string }[]).map(async ({ src }) => {
          const image = new Image();
          image.src = src;
          await image.decode();
          return [src, image.naturalWidth, image.naturalHeight];
        });
        const { name, display, start_url } = manifest;
        return { name, display, start_url, icons: await Promise.all(images) };
      });
      expect(sizes).toMatchObject({ name: 'Bowline', display: 'standalone', start_url: '/' });
      expect(sizes.icons.slice(0, 3)).toEqual([
        ['/assets/icon-192.png', 192, 192],
        ['/assets/icon-512.png', 512, 512],
        ['/assets/icon-maskable-512.png', 512, 512],
      ]);
    });
  });
});
