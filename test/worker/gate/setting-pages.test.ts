import { afterEach, describe, expect, it, vi } from 'vitest';
import { pushBrowser } from '../../support/push-browser.ts';
import { type OwnerBrowser, signedIn } from '../auth/owner.ts';
import { gateNamed } from './rig.ts';

/** The gate that the product itself asks. */
const gate = () => gateNamed('owner');

afterEach(async () => {
  vi.restoreAllMocks();
  await gate().changeSetting('rates', {});
  await gate().changeSetting('max_pending', 20);
  await gate().changeSetting('webhooks', []);
  await gate().changeSetting('push', []);
});

const post = async (own: OwnerBrowser, path: string, fields: Record<string, string> = {}) => {
  const answer = await own.submit(path, { csrf: own.csrf, ...fields });
  return { status: answer.status, to: answer.headers.get('location'), html: await answer.text() };
};
const open = async (own: OwnerBrowser, path: string) => (await own.send(path)).text();

describe('the page of settings', () => {
  it('keeps what is typed, and what is of tools that are not offered just now', async () => {
    const own = await signedIn();
    await gate().changeSetting('rates', { notes__write: 3, read_file: 9 });
    const saved = await post(own, '/settings', {
      max_pending: '7',
      instructions: 'One.\r\nTwo.',
      hello: ' 50 ',
      read_file: '',
    });
    expect([saved.status, saved.to]).toEqual([303, '/settings?saved']);
    expect(await gate().setting('rates')).toEqual({ notes__write: 3, hello: 50 });
    expect(await gate().setting('max_pending')).toBe(7);
    expect(await gate().setting('instructions')).toBe('One.\nTwo.');
    const html = await open(own, '/settings?saved');
    expect(html).toContain('Saved.');
    expect(html).toMatch(/name="hello"[^>]*value="50"/);
  });

  it.each([
    [{ hello: '-1' }, 'Enter a whole number up to'],
    [{ hello: 'many' }, 'Enter a whole number up to'],
    [{ hello: '1000001' }, 'Enter a whole number up to'],
    [{ max_pending: '0' }, 'Enter a whole number from 1 to 1000.'],
    [{ max_pending: '' }, 'Enter a whole number from 1 to 1000.'],
    [{ instructions: 'x'.repeat(501) }, 'Enter at most 500 characters.'],
  ])('saves nothing of %j', async (change, why) => {
    const own = await signedIn();
    const answer = await post(own, '/settings', { max_pending: '7', read_file: '5', ...change });
    expect(answer.status).toBe(400);
    expect(answer.html).toContain(why);
    expect(answer.html).toMatch(/name="read_file"[^>]*value="5"/);
    expect([await gate().setting('rates'), await gate().setting('max_pending')]).toEqual([{}, 20]);
  });

  it('takes no form but its own', async () => {
    const own = await signedIn();
    expect((await post(own, '/settings', { csrf: 'wrong', max_pending: '7' })).status).toBe(403);
    expect(await gate().setting('max_pending')).toBe(20);
  });
});

describe('the page of notifications', () => {
  const browser = { endpoint: 'https://push.example.com/secret', p256dh: 'cGs', auth: 'YXU' };
  const removal = (html: string) => /name="id" value="([^"]+)"/.exec(html)?.[1] ?? '';

  it('signs a browser up and takes it off the list, and never shows its whole address', async () => {
    const own = await signedIn();
    for (const _ of ['once', 'twice'])
      expect((await post(own, '/notifications/push', browser)).status).toBe(303);
    expect((await gate().channels()).push).toHaveLength(1);
    const html = await open(own, '/notifications');
    expect(html).toContain('push.example.com');
    expect(html).not.toContain('push.example.com/secret');
    await post(own, '/notifications/push/remove', { id: removal(html) });
    expect((await gate().channels()).push).toEqual([]);
    await post(own, '/notifications/push', browser);
    await post(own, '/notifications/push/remove', { endpoint: browser.endpoint });
    expect((await gate().channels()).push).toEqual([]);
  });

  it('takes an address that takes a POST, its token kept to itself, and removes it', async () => {
    const own = await signedIn();
    const topic = { url: ' https://ntfy.example.com/topic ', token: 'tk_secret' };
    expect((await post(own, '/notifications/webhooks', topic)).status).toBe(303);
    await post(own, '/notifications/webhooks', { url: 'https://b.example.com/t', token: '' });
    expect((await gate().channels()).webhooks).toEqual([
      { url: 'https://ntfy.example.com/topic', token: 'tk_secret' },
      { url: 'https://b.example.com/t' },
    ]);
    const html = await open(own, '/notifications');
    expect(html).toContain('ntfy.example.com');
    expect(html).not.toMatch(/tk_secret|ntfy\.example\.com\/topic/);
    await post(own, '/notifications/webhooks/remove', { id: removal(html) });
    expect((await gate().channels()).webhooks).toEqual([{ url: 'https://b.example.com/t' }]);
  });

  it.each([
    ['an address of another kind', { url: 'file:///etc/passwd' }, 'begins with https://'],
    ['a token that is too long', { url: 'https://a.example', token: 'x'.repeat(501) }, 'role="alert"'],
  ])('refuses %s, and shows what was typed', async (_, fields, why) => {
    const answer = await post(await signedIn(), '/notifications/webhooks', fields);
    expect(answer.status).toBe(400);
    expect(answer.html).toContain(why);
    expect(answer.html).toContain(`value="${fields.url}"`);
    expect((await gate().channels()).webhooks).toEqual([]);
  });

  it('refuses an eleventh address, and a browser that is none', async () => {
    const own = await signedIn();
    const ten = Array.from({ length: 10 }, (_, n) => ({ url: `https://a.example/${n}` }));
    await gate().changeSetting('webhooks', ten);
    const full = await post(own, '/notifications/webhooks', { url: 'https://b.example' });
    expect([full.status, full.html.includes('Remove one first.')]).toEqual([400, true]);
    const bad = await post(own, '/notifications/push', { ...browser, endpoint: 'http://push.example.com' });
    expect([bad.status, bad.html.includes('could not be added')]).toEqual([400, true]);
    expect(await gate().channels()).toMatchObject({ webhooks: ten, push: [] });
  });

  it('tries the channels that are set, says which failed, and forgets a browser that is gone', async () => {
    const own = await signedIn();
    expect((await post(own, '/notifications/test')).html).toContain(
      'Nobody can be notified yet. Add a browser or an address.',
    );
    await gate().changeSetting('webhooks', [
      { url: 'https://good.example' },
      { url: 'https://bad.example/x' },
    ]);
    const keys = pushBrowser().keys;
    await gate().changeSetting('push', [{ endpoint: 'https://gone.example/x', keys }]);
    const statuses: Record<string, number> = { 'bad.example': 500, 'gone.example': 410 };
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const { host } = new URL(new Request(input, init).url);
      return new Response(null, { status: statuses[host] ?? 200 });
    });
    const { html } = await post(own, '/notifications/test');
    expect(html).toContain('Sent to 1 place.');
    expect(html).toContain('bad.example');
    expect(html).toContain('removed from the list');
    expect((await gate().channels()).push).toEqual([]);
  });

  it('takes no form but its own', async () => {
    const own = await signedIn();
    const answer = await post(own, '/notifications/push', { ...browser, csrf: 'wrong' });
    expect([answer.status, answer.html.includes('had expired')]).toEqual([403, true]);
    expect((await gate().channels()).push).toEqual([]);
  });
});
