import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Notice } from '../../../src/gate/notice.ts';
import { type Channels, makeVapidKeys, sendNotice } from '../../../src/gate/notify.ts';
import { type Settings, settingShapes } from '../../../src/gate/settings.ts';
import { guardFetch } from '../../../src/web/guarded-fetch.ts';
import { pushBrowser, RFC_8291, readVapid } from '../../support/push-browser.ts';
import { encryptedExample } from '../../support/push-vector.ts';

const notice: Notice = {
  title: '承認待ち: create_file',
  body: 'Claude wants to write hello.py on mini.',
  url: 'https://bowline.example.com/approvals/K7F2',
  tag: 'approval-K7F2',
};
const contact = 'https://bowline.example.com';

/** A network inside the test: what was asked of it, and a status by host. */
function network(statuses: Record<string, number> = {}) {
  const asked: Request[] = [];
  const fetch = guardFetch(async (input, init) => {
    const request = new Request(input, init);
    asked.push(request);
    return new Response('private words', { status: statuses[new URL(request.url).host] ?? 201 });
  });
  return { asked, fetch };
}

/** The owner's settings as they are stored and read back. */
async function settings(): Promise<{ channels: Channels; browser: ReturnType<typeof pushBrowser> }> {
  const browser = pushBrowser();
  const stored = JSON.parse(
    JSON.stringify({
      webhooks: [
        { url: 'https://ntfy.example.com/secret', token: 'tk_secret' },
        { url: 'https://b.example.com/t' },
      ],
      push: [{ endpoint: 'https://push.example.com/secret', keys: browser.keys }],
      vapid: await makeVapidKeys(),
    }),
  );
  const channels: Pick<Settings, 'webhooks' | 'push' | 'vapid'> = {
    webhooks: settingShapes.webhooks.parse(stored.webhooks),
    push: settingShapes.push.parse(stored.push),
    vapid: settingShapes.vapid.parse(stored.vapid),
  };
  return { channels, browser };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('in the runtime of the gateway', () => {
  it('the example of RFC 8291 is encrypted byte by byte as there', async () => {
    expect(await encryptedExample()).toBe(RFC_8291.body);
  });

  it('a notice reaches topics and browsers, signed and encrypted', async () => {
    const { channels, browser } = await settings();
    const { asked, fetch } = network();
    expect(await sendNotice(notice, channels, { fetch, contact })).toEqual({
      delivered: 3,
      gone: [],
      failures: [],
    });

    const push = asked.find(({ url }) => url.startsWith('https://push.'));
    const opened = browser.open(new Uint8Array((await push?.arrayBuffer()) ?? new ArrayBuffer()));
    expect(JSON.parse(opened.text)).toEqual(notice);
    const { claims, publicKey, genuine } = readVapid(push?.headers.get('authorization'));
    expect(genuine).toBe(true);
    expect(publicKey).toBe(channels.vapid?.publicKey);
    expect(claims).toMatchObject({ aud: 'https://push.example.com', sub: contact });
    expect(claims.exp - Date.now() / 1_000).toBeLessThanOrEqual(24 * 60 * 60);
    expect(push?.headers.get('topic')).toMatch(/^[\w-]{32}$/);

    const topic = asked.find(({ url }) => url.startsWith('https://ntfy.'));
    expect(topic?.headers.get('title')).toMatch(/^=\?UTF-8\?B\?[\w+/=]+\?=$/);
    expect(topic?.headers.get('authorization')).toBe('Bearer tk_secret');
    expect(await topic?.text()).toBe(notice.body);
  });

  it('bad keys, a bad token and a closed subscription stop nobody else', async () => {
    const { channels } = await settings();
    const [good] = channels.push;
    if (!good) throw new Error('expected one');
    const bad = {
      endpoint: 'https://bad.example.com/s',
      keys: { ...good.keys, p256dh: `B${'A'.repeat(86)}` },
    };
    const webhooks = [...channels.webhooks, { url: 'https://c.example.com/t', token: 'tk\r\nX-Evil: 1' }];
    const { asked, fetch } = network({ 'push.example.com': 410, 'b.example.com': 503 });
    expect(
      await sendNotice(notice, { ...channels, webhooks, push: [bad, good] }, { fetch, contact }),
    ).toEqual({
      delivered: 1,
      gone: ['https://push.example.com/secret'],
      failures: [
        'b.example.com answered 503.',
        'c.example.com was not asked: its keys or token cannot be used, so it has to be set up again.',
        'bad.example.com was not asked: its keys or token cannot be used, so it has to be set up again.',
      ],
    });
    expect(asked).toHaveLength(3);
  });

  it('a channel that hangs is given ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { channels } = await settings();
    const { fetch } = network();
    const hanging: typeof fetch = (input, init) =>
      String(input).includes('ntfy') ? new Promise(() => {}) : fetch(input, init);
    const sending = sendNotice(notice, channels, { fetch: hanging, contact });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await sending).toMatchObject({
      delivered: 2,
      failures: ['ntfy.example.com did not answer within 10 s.'],
    });
  });

  it('keys to sign with are a point and its scalar', async () => {
    for (const { publicKey, privateKey } of await Promise.all(Array.from({ length: 20 }, makeVapidKeys))) {
      expect(publicKey).toMatch(/^B[\w-]{86}$/);
      expect(privateKey).toMatch(/^[\w-]{43}$/);
    }
  });
});
