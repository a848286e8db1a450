import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Notice } from '../../../src/gate/notice.ts';
import { type Channels, makeVapidKeys, sendNotice } from '../../../src/gate/notify.ts';
import { guardFetch } from '../../../src/web/guarded-fetch.ts';
import { type Answer, type Internet, internet } from '../../support/notice-internet.ts';
import { pushBrowser } from '../../support/push-browser.ts';

const notice: Notice = {
  title: 'create_file waits for you',
  body: 'Claude wants to write hello.py on mini.',
  url: 'https://bowline.example.com/approvals/K7F2',
  tag: 'approval-K7F2',
};
const contact = 'mailto:owner@example.com';
const vapid = await makeVapidKeys();
const { keys } = pushBrowser();

const webhook = (host: string) => ({ url: `https://${host}/secret-topic`, token: 'tk_secret' });
const browserAt = (host: string) => ({ endpoint: `https://${host}/secret-endpoint?id=secret`, keys });
/** By its first letter: a webhook or a push. */
const channelsOf = (...hosts: string[]): Channels => ({
  webhooks: hosts.filter((host) => host.startsWith('w')).map(webhook),
  push: hosts.filter((host) => host.startsWith('p')).map(browserAt),
  vapid,
});

let net: Internet;
beforeEach(async () => {
  net = await internet();
});
afterEach(async () => {
  vi.useRealTimers();
  await net.close();
});

async function answering(answers: Record<string, Answer>): Promise<void> {
  await net.close();
  net = await internet(answers);
}

const send = (channels: Channels, fetch = guardFetch(net.fetch)) =>
  sendNotice(notice, channels, { fetch, contact });

describe('a channel that fails', () => {
  const refusals = [301, 302, 307, 308, 400, 401, 403, 413, 429, 500, 502, 503, 507];

  it.each(refusals)('with %d is asked once and reported by host and status', async (status) => {
    const headers = { 'retry-after': '1', location: 'https://w-elsewhere.example.com/' };
    await answering({ 'w.example.com': { status, headers }, 'p.example.com': { status, headers } });
    expect(await send(channelsOf('w.example.com', 'p.example.com'))).toEqual({
      delivered: 0,
      gone: [],
      failures: [`w.example.com answered ${status}.`, `p.example.com answered ${status}.`],
    });
    // Neither again, nor wherever it was sent on to, which is no place for the token.
    expect(net.hosts()).toEqual(['p.example.com', 'w.example.com']);
  });

  it.each([404, 410])(
    'with %d is gone if it is a browser, and no more than that if it is a topic',
    async (status) => {
      await answering({ 'w.example.com': status, 'p.example.com': status });
      expect(await send(channelsOf('w.example.com', 'p.example.com'))).toEqual({
        delivered: 0,
        gone: ['https://p.example.com/secret-endpoint?id=secret'],
        failures: [`w.example.com answered ${status}.`],
      });
    },
  );

  it.each([200, 201, 202, 204])('is none that answers %d', async (status) => {
    await answering({ 'w.example.com': status, 'p.example.com': status });
    expect(await send(channelsOf('w.example.com', 'p.example.com'))).toMatchObject({
      delivered: 2,
      failures: [],
    });
  });

  it.each([301, 302, 303, 307, 308])(
    'by sending on with %d is not followed, not even by a fetch that would',
    async (status) => {
      const moved = { status, headers: { location: '/elsewhere.example.com/' } };
      await answering({ 'w.example.com': moved, 'p.example.com': moved });
      const { failures } = await send(channelsOf('w.example.com', 'p.example.com'), net.fetch);
      expect(failures).toEqual([`w.example.com answered ${status}.`, `p.example.com answered ${status}.`]);
      expect(net.hosts()).toEqual(['p.example.com', 'w.example.com']);
    },
  );

  it('by being on a private network is never asked', async () => {
    const urls = [
      'http://127.0.0.1/t',
      'http://169.254.169.254/latest',
      'https://ntfy.lan/t',
      'https://w.example.com:8443/t',
    ];
    const { failures } = await send({ ...channelsOf(), webhooks: urls.map((url) => ({ url })) });
    expect(failures).toEqual(
      ['127.0.0.1', '169.254.169.254', 'ntfy.lan', 'w.example.com:8443'].map(
        (host) => `${host} was not asked: only public addresses on the usual ports are.`,
      ),
    );
    expect(net.hosts()).toEqual([]);
  });

  it('by refusing the connection is reported without the words of the runtime', async () => {
    const { fetch } = net;
    await net.close();
    expect(await send(channelsOf('w.example.com', 'p.example.com'), guardFetch(fetch))).toEqual({
      delivered: 0,
      gone: [],
      failures: ['w.example.com could not be reached.', 'p.example.com could not be reached.'],
    });
    net = await internet();
  });

  it('by a fetch that throws at once is reported too', async () => {
    const fetch = () => {
      throw new Error('no network for https://w.example.com/secret-topic');
    };
    expect(await send(channelsOf('w.example.com'), fetch)).toMatchObject({
      failures: ['w.example.com could not be reached.'],
    });
  });

  it.each([
    ['p256dh is no point of the curve', { ...keys, p256dh: `B${'A'.repeat(86)}` }],
    ['p256dh is too short', { ...keys, p256dh: keys.p256dh.slice(0, 40) }],
    ['p256dh is no base64', { ...keys, p256dh: '<script>' }],
    ['auth is too short', { ...keys, auth: 'c2hvcnQ' }],
    ['auth is empty', { ...keys, auth: '' }],
  ])('because its %s keeps nobody else from being told', async (_, bad) => {
    const channels = channelsOf('w.example.com', 'p1.example.com', 'p2.example.com');
    const [first, second] = channels.push;
    if (!first || !second) throw new Error('expected two');
    expect(await send({ ...channels, push: [{ ...first, keys: bad }, second] })).toEqual({
      delivered: 2,
      gone: [],
      failures: [
        'p1.example.com was not asked: its keys or token cannot be used, so it has to be set up again.',
      ],
    });
    expect(net.hosts()).toEqual(['p2.example.com', 'w.example.com']);
  });

  it.each(['tk\r\nX-Evil: 1', 'tk\nx', 'токен', 'tk\0'])(
    'because its token is %j keeps nobody else from being told',
    async (token) => {
      const url = 'https://w1.example.com/secret-topic';
      expect(await send({ ...channelsOf(), webhooks: [{ url, token }, webhook('w2.example.com')] })).toEqual({
        delivered: 1,
        gone: [],
        failures: [
          'w1.example.com was not asked: its keys or token cannot be used, so it has to be set up again.',
        ],
      });
      expect(net.hosts()).toEqual(['w2.example.com']);
    },
  );

  it('for want of a key pair is reported, and topics are told all the same', async () => {
    const channels = { ...channelsOf('w.example.com', 'p.example.com'), vapid: undefined };
    expect(await send(channels)).toEqual({
      delivered: 1,
      gone: [],
      failures: ['p.example.com was not asked: there is no key pair to sign pushes with.'],
    });
  });

  it.each([
    ['a public key that is none', { ...vapid, publicKey: 'AAAA' }],
    ['a private key that is none', { ...vapid, privateKey: 'AAAA' }],
    ['an empty one', { publicKey: '', privateKey: '' }],
  ])('for want of a good key pair, having %s, is reported', async (_, bad) => {
    const outcome = await send({ ...channelsOf('w.example.com', 'p.example.com'), vapid: bad });
    expect(outcome).toMatchObject({
      delivered: 1,
      failures: [expect.stringMatching(/^p\.example\.com was not asked: /)],
    });
  });

  it('by its address, which is no URL, is reported without it', async () => {
    const outcome = await send({ ...channelsOf('p.example.com'), webhooks: [{ url: 'secret-topic' }] });
    expect(outcome).toMatchObject({
      delivered: 1,
      failures: ['A channel whose address is no URL could not be reached.'],
    });
  });
});

describe('a channel that hangs', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });

  it('is given ten seconds, while the others are told at once', async () => {
    await answering({ 'w1.example.com': undefined, 'p1.example.com': undefined });
    const done = vi.fn();
    const sending = send(channelsOf('w1.example.com', 'w2.example.com', 'p1.example.com', 'p2.example.com'));
    void sending.then(done);
    // The clock stands still, and all four have been asked.
    await net.came(4);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await sending).toEqual({
      delivered: 2,
      gone: [],
      failures: ['w1.example.com did not answer within 10 s.', 'p1.example.com did not answer within 10 s.'],
    });
    // And it was hung up on.
    await net.left('w1.example.com');
    await net.left('p1.example.com');
  });

  it('and minds no signal is left behind all the same', async () => {
    let signal: AbortSignal | null | undefined;
    const fetch: typeof globalThis.fetch = (_, init) => {
      signal = init?.signal;
      return new Promise(() => {});
    };
    const sending = send(channelsOf('w.example.com'), fetch);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await sending).toMatchObject({ failures: ['w.example.com did not answer within 10 s.'] });
    expect(signal?.aborted).toBe(true);
  });

  it('over its answer’s body counts by its status', async () => {
    const fetch = async () => new Response(new ReadableStream({ cancel: () => new Promise(() => {}) }));
    expect(await send(channelsOf('w.example.com', 'p.example.com'), fetch)).toMatchObject({ delivered: 2 });
  });

  it('leaves no timer running once the others are done', async () => {
    expect(await send(channelsOf('w.example.com', 'p.example.com'))).toMatchObject({ delivered: 2 });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('many channels', () => {
  it('each get it once, whatever becomes of the others', async () => {
    await answering({ 'w2.example.com': 500, 'p2.example.com': 410, 'p4.example.com': 403 });
    const hosts = ['w1', 'w2', 'w3', 'p1', 'p2', 'p3', 'p4'].map((name) => `${name}.example.com`);
    expect(await send(channelsOf(...hosts))).toEqual({
      delivered: 4,
      gone: ['https://p2.example.com/secret-endpoint?id=secret'],
      failures: ['w2.example.com answered 500.', 'p4.example.com answered 403.'],
    });
    expect(net.hosts()).toEqual(hosts.sort());
  });

  it('that are none are told at once', async () => {
    expect(await send(channelsOf())).toEqual({ delivered: 0, gone: [], failures: [] });
  });
});
