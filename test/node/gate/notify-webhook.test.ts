import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Notice } from '../../../src/gate/notice.ts';
import { sendNotice } from '../../../src/gate/notify.ts';
import { headerText } from '../../../src/gate/notify-text.ts';
import type { Webhook } from '../../../src/gate/notify-webhook.ts';
import { guardFetch } from '../../../src/web/guarded-fetch.ts';
import { decodedHeader, type Internet, internet, type Received } from '../../support/notice-internet.ts';
import { anyText, holdsFor } from '../../support/property.ts';

const notice: Notice = {
  title: 'create_file waits for you',
  body: 'Claude wants to write hello.py on mini.',
  url: 'https://bowline.example.com/approvals/K7F2',
  tag: 'approval-K7F2',
};
const TOPIC = 'https://ntfy.example.com/my-secret-topic';

let net: Internet | undefined;
afterEach(async () => {
  await net?.close();
  net = undefined;
});

/** What an ntfy server receives of a notice. */
async function sent(part: Partial<Notice> = {}, webhook: Webhook = { url: TOPIC }): Promise<Received> {
  await net?.close();
  net = await internet();
  const channels = { webhooks: [webhook], push: [], vapid: undefined };
  const ports = { fetch: guardFetch(net.fetch), contact: 'mailto:owner@example.com' };
  expect(await sendNotice({ ...notice, ...part }, channels, ports)).toEqual({
    delivered: 1,
    gone: [],
    failures: [],
  });
  const [request, ...more] = net.to(new URL(webhook.url).host);
  expect(more).toEqual([]);
  if (!request) throw new Error('nothing was sent');
  return request;
}

const names = ({ lines }: Received) => lines.map((line) => line.split(':')[0]?.toLowerCase()).sort();

describe('a hostile notice', () => {
  it.each([
    ['CR LF', '\r\n'],
    ['LF', '\n'],
    ['CR', '\r'],
    ['LF and a space', '\n '],
    ['NUL and LF', '\0\n'],
    ['NEL', '\u0085'],
    ['a line separator', '\u2028'],
    ['what loses its high byte to CR LF', '\u010d\u010a'],
    ['a full-width colon and CR LF', '\uff1a\r\n'],
  ])('puts no header in with %s', async (_, end) => {
    const evil = `Harmless${end}Actions: http, Approve, https://evil.example.com${end}${end}body`;
    const plain = await sent();
    const request = await sent({ title: evil, url: `${notice.url}${end}X-Evil: 1`, tag: `t${end}X-Evil: 1` });
    expect(names(request)).toEqual(names(plain));
    expect(request.body.toString()).toBe(notice.body);
    for (const line of request.lines) expect(line).toMatch(/^[ -~]+$/);
    // What ntfy makes of the header is still one line.
    expect(decodedHeader(request.headers.get('title'))).toMatch(/^Harmless.*Actions: http.*body$/u);
  });

  it('has no encoded word of its own decoded at the other end', async () => {
    const evil = `=?UTF-8?B?${Buffer.from('Approved already').toString('base64')}?=`;
    const { headers } = await sent({ title: evil });
    expect(decodedHeader(headers.get('title'))).toBe(evil);
  });

  it('is shown with its tricks spelt out', async () => {
    const { headers, body } = await sent({ title: 'a\u202egpj.exe', body: 'rm\u200b \u001b[2Kls\nnext' });
    expect(decodedHeader(headers.get('title'))).toBe('a\\u{202e}gpj.exe');
    expect(body.toString()).toBe('rm\\u{200b} \\u{1b}[2Kls\nnext');
  });

  it('loses what looks like a secret, even where the cut would hide what it is', async () => {
    const key = `ghp_${'a1'.repeat(18)}`;
    const { headers, body } = await sent({
      title: `use ${key}`,
      body: `${'x'.repeat(3_870)} ${key} and more\n`.repeat(2),
    });
    expect(headers.get('title')).toBe('use [redacted:github-token]');
    expect(body.toString()).not.toContain('ghp_');
  });

  it('cannot make two tags of one', async () => {
    expect((await sent({ tag: 'skull,warning' })).headers.get('tags')).toBe('skull warning');
  });

  it.each([
    ['letters', 'x', 3_900],
    ['umlauts', 'ü', 3_900],
    ['emoji', '😀', 3_900],
    ['quotes, which JSON makes longer', '"', 1_951],
  ])('of 10,000 %s is cut before ntfy makes a file of it', async (_, char, bytes) => {
    const text = (await sent({ body: char.repeat(10_000) })).body.toString();
    expect(text).toMatch(new RegExp(`^(?:${char})+…$`, 'u'));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytes);
    expect(Buffer.byteLength(text)).toBeGreaterThan(bytes - 10);
  });

  it('with an endless title has one that fits a header', async () => {
    const title = decodedHeader((await sent({ title: '日本'.repeat(5_000) })).headers.get('title'));
    expect(title).toMatch(/^(?:日本)+日?…$/u);
    expect(Buffer.byteLength(title)).toBeLessThanOrEqual(250);
  });

  it('with halves of pairs arrives as proper UTF-8', async () => {
    const { headers, body } = await sent({ title: 'a\ud83d', body: 'b\ude00' });
    expect(decodedHeader(headers.get('title'))).toBe('a\\u{fffd}');
    expect(body.toString()).toBe('b\\u{fffd}');
  });
});

describe('an ntfy topic', () => {
  it('is sent the text, and the rest in headers', async () => {
    const request = await sent();
    expect(request.path).toBe('/my-secret-topic');
    expect(request.body.toString()).toBe(notice.body);
    expect(Object.fromEntries(request.headers)).toMatchObject({
      title: notice.title,
      click: notice.url,
      tags: notice.tag,
      priority: 'high',
      'content-type': 'text/plain; charset=utf-8',
    });
    expect(request.headers.has('authorization')).toBe(false);
  });

  it('that is protected is sent its token', async () => {
    const { headers } = await sent({}, { url: TOPIC, token: 'tk_owner' });
    expect(headers.get('authorization')).toBe('Bearer tk_owner');
  });

  it.each([
    'Grüße aus Köln',
    '承認待ち: ファイルを作成',
    '😀 waits',
    'Ждёт вас — 3 минуты',
    `${'é'.repeat(100)} end`,
  ])('is sent the title “%s” as it is', async (title) => {
    const value = (await sent({ title })).headers.get('title') ?? '';
    expect(decodedHeader(value)).toBe(title);
    for (const word of value.split(' ')) expect(word.length).toBeLessThanOrEqual(75);
  });
});

it('writes any text as a header that reads back the same', () => {
  holdsFor(fc.oneof(anyText, fc.string({ unit: 'binary', minLength: 40, maxLength: 200 })), (text) => {
    const value = headerText(text);
    expect(value).toMatch(/^[ -~]*$/);
    expect(decodedHeader(value)).toBe(text);
  });
});
