import assert from 'node:assert/strict';
import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { objectionTo, objectionToHost, objectionToIp } from '../../../src/web/address.ts';
import { texts } from '../inputs.ts';
import { type Target, target } from '../target.ts';

/** Ranges that nobody outside may be sent to, kept by Node and not by the product. */
const inside = new BlockList();
for (const [network, length] of [
  ...[
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
  ],
  ...[
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
  ],
  ...[
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ],
] as [string, number][])
  inside.addSubnet(network, length, 'ipv4');
for (const [network, length] of [
  ...[
    ['::', 127],
    ['fc00::', 7],
    ['fe80::', 10],
    ['fec0::', 10],
    ['ff00::', 8],
    ['100::', 64],
    ['2001::', 32],
    ['2001:db8::', 32],
  ],
  ...[
    ['64:ff9b:1::', 48],
    ['2001:10::', 28],
    ['3fff::', 20],
    ['5f00::', 16],
  ],
] as [string, number][])
  inside.addSubnet(network, length, 'ipv6');

/** Whether an address leads inside, or carries one that does. */
function leadsInside(ip: string): boolean {
  if (isIP(ip) === 4) return inside.check(ip, 'ipv4');
  if (inside.check(ip, 'ipv6')) return true;
  // The URL parser writes every IPv6 address in one way, in eight groups of hex at most.
  const bare = new URL(`http://[${ip}]/`).hostname.slice(1, -1);
  const [head = '', tail] = bare.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right].map((group) =>
    Number.parseInt(group, 16),
  );
  const v4 = ([high = 0, low = 0]: number[]) => [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const begins = (...start: number[]) => start.every((group, i) => groups[i] === group);
  const ends = v4(groups.slice(6));
  if (begins(0, 0, 0, 0, 0, 0xffff) || begins(0, 0, 0, 0, 0xffff, 0) || begins(0, 0, 0, 0, 0, 0))
    return inside.check(ends, 'ipv4');
  if (begins(0x64, 0xff9b, 0, 0, 0, 0)) return inside.check(ends, 'ipv4');
  return begins(0x2002) && inside.check(v4(groups.slice(1, 3)), 'ipv4');
}

const WORDS = [
  ...[
    '127.0.0.1',
    '0x7f',
    '0177',
    '2130706433',
    '[::1]',
    '[::ffff:',
    '7f00:1]',
    '[2002:7f00:1::]',
    '[64:ff9b::',
    '10.',
    '169.254.169.254',
    '192.168.',
  ],
  ...[
    'localhost',
    '.local',
    '.internal',
    '.',
    '..',
    '%00',
    '%2e',
    '@',
    ':80',
    ':8080',
    '#',
    '?',
    '/',
    '\\',
    '。',
    '．',
    '①',
    '０',
    'ⓛocalhost',
    '\u00ad',
  ],
  ...[
    '[fe80::1%25eth0]',
    '[fd00::]',
    '[2001:4860:4860::8888]',
    '1.1.1.1',
    'example.com',
    'http://',
    'https://',
    'ftp://',
    'user:',
    '\t',
    ' ',
    'xn--',
  ],
];

const v4 = fc.ipV4().map(String);
const spelling = fc.oneof(
  v4,
  fc.ipV6().map((ip) => `[${ip}]`),
  fc.ipV4().map((ip) => `[::ffff:${ip}]`),
  fc.nat(0xffffffff).map(String),
  fc.nat(0xffffffff).map((n) => `0x${n.toString(16)}`),
  fc
    .array(fc.nat(255), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.map((n) => `0${n.toString(8)}`).join('.')),
  texts(WORDS, 6),
);

const urls = target({
  name: 'addresses',
  seeds: [
    'https://example.com/a?b#c',
    'http://1.1.1.1/',
    'https://[2606:4700::1111]/',
    'http://0x7f.1/',
    'http://[::ffff:7f00:1]/',
    'http://a.b..',
  ],
  grammar: fc
    .tuple(fc.constantFrom('http://', 'https://', ''), spelling, fc.constantFrom('', '/', ':80', '/a?b'))
    .map((parts) => parts.join('')),
  words: WORDS,
  parse: (input) =>
    URL.canParse(input) ? { url: new URL(input), objection: objectionTo(new URL(input)) } : undefined,
  properties: {
    'nobody is sent inside, however the address is spelt': (read) => {
      if (!read || read.objection !== undefined) return;
      const host = read.url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host)) assert.ok(!leadsInside(host), host);
      const bare = host.replace(/\.+$/, '');
      if (isIP(bare)) assert.ok(!leadsInside(bare), host);
      assert.ok(!/(?:^|\.)(?:localhost|local|internal)\.*$/i.test(host), host);
      assert.ok(host.includes('.') || host.includes(':'));
    },
    'only the web on its own ports, with no name to sign in by': (read) => {
      if (!read || read.objection !== undefined) return;
      const { protocol, port, username, password } = read.url;
      assert.ok(/^https?:$/.test(protocol) && port === '' && username === '' && password === '');
    },
    'a URL that is taken is taken in its own spelling too': (read) => {
      if (read) assert.equal(objectionTo(new URL(read.url.href)), read.objection);
    },
  },
});

const resolved = target({
  name: 'resolved-addresses',
  seeds: [
    '127.0.0.1',
    '8.8.8.8',
    '::1',
    '2606:4700:4700::1111',
    '::ffff:10.0.0.1',
    'fe80::1%eth0',
    '64:ff9b::7f00:1',
    '2002:a00:1::',
  ],
  grammar: fc.oneof(
    v4,
    fc.ipV6(),
    texts([':', '::', '.', 'ffff', '0', '10', '127', '1', '%', 'fe80', '2002', '64', 'ff9b'], 10),
  ),
  words: ['::', ':', '.', 'ffff:', '0:', '127.0.0.1', '%eth0', '2002:', '64:ff9b::'],
  parse: (input) => ({ objection: objectionToIp(input), host: objectionToHost(input) }),
  properties: {
    'an address that may be reached is one, and outside': ({ objection }, input) => {
      if (objection !== undefined) return;
      assert.notEqual(isIP(input.split('%')[0] ?? ''), 0, input);
      assert.ok(!leadsInside(input.split('%')[0] ?? ''), input);
    },
    'an address outside may be reached': ({ objection }, input) => {
      if (
        isIP(input) === 4 &&
        !leadsInside(input) &&
        !/^192\.(?:31\.196|52\.193|88\.99|175\.48)\./.test(input)
      ) {
        assert.equal(objection, undefined, input);
      }
    },
  },
});

export const addresses: readonly Target[] = [urls, resolved];
