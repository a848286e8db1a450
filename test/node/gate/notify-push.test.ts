import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Notice } from '../../../src/gate/notice.ts';
import { makeVapidKeys, sendNotice } from '../../../src/gate/notify.ts';
import { guardFetch } from '../../../src/web/guarded-fetch.ts';
import { type Internet, internet, type Received } from '../../support/notice-internet.ts';
import { type Opened, pushBrowser, RFC_8291, readVapid } from '../../support/push-browser.ts';
import { encryptedExample } from '../../support/push-vector.ts';

const notice: Notice = {
  title: 'create_file waits for you',
  body: 'Claude wants to write hello.py on mini.',
  url: 'https://bowline.example.com/approvals/K7F2',
  tag: 'approval-K7F2',
};
const ENDPOINT = 'https://fcm.example.com/wpush/my-secret-endpoint?v=1';
const CONTACT = 'mailto:owner@example.com';
const vapid = await makeVapidKeys();

let net: Internet | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await net?.close();
  net = undefined;
});

/** What a push service receives of a notice, and what the browser behind it reads. */
async function pushed(part: Partial<Notice> = {}): Promise<Received & { readonly opened: Opened }> {
  await net?.close();
  net = await internet();
  const browser = pushBrowser();
  const channels = { webhooks: [], push: [{ endpoint: ENDPOINT, keys: browser.keys }], vapid };
  const ports = { fetch: guardFetch(net.fetch), contact: CONTACT };
  expect(await sendNotice({ ...notice, ...part }, channels, ports)).toEqual({
    delivered: 1,
    gone: [],
    failures: [],
  });
  const [request] = net.to('fcm.example.com');
  if (!request) throw new Error('nothing was sent');
  return { ...request, opened: browser.open(request.body) };
}

const read = ({ opened }: { readonly opened: Opened }): Notice => JSON.parse(opened.text);

describe('the stand-ins of these tests', () => {
  it('decrypt the example of RFC 8291', () => {
    const browser = pushBrowser(RFC_8291.browserPrivate, RFC_8291.auth);
    expect(browser.keys.p256dh).toBe(RFC_8291.browserPublic);
    expect(browser.open(Buffer.from(RFC_8291.body, 'base64url')).text).toBe(RFC_8291.plaintext);
  });

  it('open nothing that is for somebody else, or was touched', async () => {
    const { body } = await pushed();
    expect(() => pushBrowser().open(body)).toThrow();
    const own = pushBrowser(RFC_8291.browserPrivate, RFC_8291.auth);
    const touched = Buffer.from(RFC_8291.body, 'base64url');
    touched[90] = (touched[90] ?? 0) ^ 1;
    expect(() => own.open(touched)).toThrow();
  });

  it('believe no token whose claims or key were changed', async () => {
    const { headers } = await pushed();
    const [, token = '', key = ''] =
      /^vapid t=(\S+), k=(\S+)$/.exec(headers.get('authorization') ?? '') ?? [];
    const [header, , signature] = token.split('.');
    const claims = Buffer.from('{"aud":"https://evil.example.com"}').toString('base64url');
    const other = await makeVapidKeys();
    expect(readVapid(`vapid t=${token}, k=${key}`).genuine).toBe(true);
    expect(readVapid(`vapid t=${header}.${claims}.${signature}, k=${key}`).genuine).toBe(false);
    expect(readVapid(`vapid t=${token}, k=${other.publicKey}`).genuine).toBe(false);
  });
});

describe('the body of a push', () => {
  it('is made as the example of RFC 8291 is, byte by byte', async () => {
    expect(await encryptedExample()).toBe(RFC_8291.body);
  });

  it('is what the browser reads as the notice, and nobody else', async () => {
    const request = await pushed();
    expect(read(request)).toEqual(notice);
    expect(request.body.toString('latin1')).not.toMatch(/hello\.py|create_file|approvals/);
  });

  it('is encrypted with new keys and a new salt each time', async () => {
    const [a, b] = [await pushed(), await pushed()];
    // Salt, then record size and key length, then the key.
    expect(a.body.subarray(0, 16)).not.toEqual(b.body.subarray(0, 16));
    expect(a.body.subarray(16, 21)).toEqual(b.body.subarray(16, 21));
    expect(a.body.subarray(21, 86)).not.toEqual(b.body.subarray(21, 86));
  });

  it.each(['letter', 'Grüße aus Köln', '承認待ち', '😀🇩🇪', 'quotes " and \\', 'line\nend\ttab', ''])(
    'brings “%s” as it is',
    async (text) => {
      expect(read(await pushed({ body: text }))).toEqual({ ...notice, body: text });
      expect(read(await pushed({ title: text }))).toEqual({ ...notice, title: text.replaceAll(/\s/g, ' ') });
    },
  );

  it.each(['x', 'ü', '承', '😀', '"', '\\', '\n', '\t', 'a😀', '\ud83d'])(
    'is cut between characters when it is 10,000 of %j',
    async (char) => {
      const { opened, body } = await pushed({ body: char.repeat(10_000) });
      const shown = read({ opened }).body;
      const whole = char.isWellFormed() ? char : '\\u{fffd}';
      expect(shown.endsWith('…')).toBe(true);
      expect(shown.isWellFormed()).toBe(true);
      expect(whole.repeat(10_000).startsWith(shown.slice(0, -1))).toBe(true);
      expect(opened.bytes).toBeLessThanOrEqual(3_900);
      // As much of it as fits: what is missing is less than one more.
      expect(Buffer.byteLength(opened.text.trimEnd())).toBeGreaterThan(2_700 - 8);
      // What Mozilla's push service takes for a phone.
      expect(body.length).toBeLessThanOrEqual(3_070);
    },
  );

  it('is as long for a long notice as for a short one', async () => {
    const lengths = [];
    for (const body of ['', 'ü', 'x'.repeat(2_000), 'x'.repeat(10_000)]) {
      lengths.push((await pushed({ body })).body.length);
    }
    expect(new Set(lengths)).toEqual(new Set([2_803]));
  });

  it('with an endless title and a long body still fits', async () => {
    const request = await pushed({ title: '承'.repeat(10_000), body: '"'.repeat(10_000) });
    expect(request.body.length).toBe(2_803);
    expect(read(request).title).toMatch(/^承+…$/);
  });

  it('shows tricks spelt out and no secrets', async () => {
    const request = await pushed({ title: 'a\u202eb\r\nc', body: `\u001b[2K ghp_${'a1'.repeat(18)}` });
    expect(read(request)).toMatchObject({
      title: 'a\\u{202e}b c',
      body: '\\u{1b}[2K [redacted:github-token]',
    });
  });
});

describe('the headers of a push', () => {
  it('say how it is encrypted and how much it matters', async () => {
    const { headers, path } = await pushed();
    expect(path).toBe('/wpush/my-secret-endpoint?v=1');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: '600',
      urgency: 'high',
    });
  });

  it.each(['approval-K7F2', '', 'ü'.repeat(200), 'a b\r\nX-Evil: 1', '../..?#'])(
    'have a topic that a push service takes, for the tag %j',
    async (tag) => {
      const { headers, lines } = await pushed({ tag });
      expect(headers.get('topic')).toMatch(/^[\w-]{32}$/);
      expect(lines.join('\n')).not.toMatch(/evil/i);
    },
  );

  it('have one topic a tag', async () => {
    const topicOf = async (tag: string) => (await pushed({ tag })).headers.get('topic');
    expect(await topicOf('a')).toBe(await topicOf('a'));
    expect(await topicOf('a')).not.toBe(await topicOf('b'));
  });

  it('are signed for this push service alone, and not for long', async () => {
    const { headers } = await pushed();
    const { header, claims, publicKey, genuine } = readVapid(headers.get('authorization'));
    expect(genuine).toBe(true);
    expect(publicKey).toBe(vapid.publicKey);
    expect(header).toEqual({ typ: 'JWT', alg: 'ES256' });
    expect(claims).toMatchObject({ aud: 'https://fcm.example.com', sub: CONTACT });
    const left = claims.exp - Date.now() / 1_000;
    expect(left).toBeGreaterThan(600);
    expect(left).toBeLessThanOrEqual(24 * 60 * 60);
  });

  it('are signed for the time it is then', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2031-05-01T00:00:00Z') });
    const { claims } = readVapid((await pushed()).headers.get('authorization'));
    const left = claims.exp - Date.parse('2031-05-01T00:00:00Z') / 1_000;
    expect(left).toBeGreaterThan(600);
    expect(left).toBeLessThanOrEqual(24 * 60 * 60);
  });
});

describe('keys to sign with', () => {
  it('are a point that browsers take and its scalar, new each time', async () => {
    const all = await Promise.all(Array.from({ length: 40 }, makeVapidKeys));
    for (const { publicKey, privateKey } of all) {
      expect(publicKey).toMatch(/^B[\w-]{86}$/);
      expect(privateKey).toMatch(/^[\w-]{43}$/);
    }
    expect(new Set(all.map(({ privateKey }) => privateKey)).size).toBe(40);
  });
});
