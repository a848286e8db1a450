import { describe, expect, it } from 'vitest';
import { objectionTo, objectionToHost, objectionToIp } from '../../../src/web/address.ts';

const ofUrl = (url: string) => objectionTo(new URL(url));

/** The address before each special range, its first, its last, and the one after; none where there is no such address. */
const V4: [range: string, before: string, first: string, last: string, after: string][] = [
  ['0.0.0.0/8', '', '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['10.0.0.0/8', '9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.64.0.0/10', '100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['127.0.0.0/8', '126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['169.254.0.0/16', '169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.16.0.0/12', '172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['192.0.0.0/24', '191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.2.0/24', '192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.31.196.0/24', '192.31.195.255', '192.31.196.0', '192.31.196.255', '192.31.197.0'],
  ['192.52.193.0/24', '192.52.192.255', '192.52.193.0', '192.52.193.255', '192.52.194.0'],
  ['192.88.99.0/24', '192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.168.0.0/16', '192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['192.175.48.0/24', '192.175.47.255', '192.175.48.0', '192.175.48.255', '192.175.49.0'],
  ['198.18.0.0/15', '198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.100.0/24', '198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.113.0/24', '203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['224.0.0.0/4', '223.255.255.255', '224.0.0.0', '239.255.255.255', ''],
  ['240.0.0.0/4', '', '240.0.0.0', '255.255.255.255', ''],
];

const F = 'ffff:ffff:ffff:ffff:ffff';
const V6: typeof V4 = [
  ['::/3', '', '::2:0:0', `1fff:ffff:ffff:${F}`, '2000::'],
  ['2001::/23', `2000:ffff:ffff:${F}`, '2001::', `2001:1ff:ffff:${F}`, '2001:200::'],
  ['2001:db8::/32', `2001:db7:ffff:${F}`, '2001:db8::', `2001:db8:ffff:${F}`, '2001:db9::'],
  ['2620:4f:8000::/48', `2620:4f:7fff:${F}`, '2620:4f:8000::', `2620:4f:8000:${F}`, '2620:4f:8001::'],
  ['3fff::/20', `3ffe:ffff:ffff:${F}`, '3fff::', `3fff:fff:ffff:${F}`, '3fff:1000::'],
  ['4000::/2', `3fff:ffff:ffff:${F}`, '4000::', `7fff:ffff:ffff:${F}`, ''],
  ['8000::/1', '', '8000::', `ffff:ffff:ffff:${F}`, ''],
];

describe.each([...V4, ...V6])('the range %s', (range, before, first, last, after) => {
  it('is refused from its first address to its last, and is named', () => {
    for (const ip of [first, last]) {
      expect(objectionToIp(ip)).toContain(`is in ${range} (`);
      const host = ip.includes(':') ? `[${ip}]` : ip;
      expect(objectionToHost(host)).toContain(range);
      expect(ofUrl(`https://${host}/`)).toContain(range);
    }
  });

  it('ends where it ends', () => {
    for (const ip of [before, after].filter(Boolean)) expect(objectionToIp(ip)).toBeUndefined();
  });
});

describe('IPv6 that stands for IPv4', () => {
  const dotted = (prefix: string) => (ip: string) => `${prefix}${ip}`;
  const asHex = (ip: string) => {
    const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  };
  it.each<[string, (ip: string) => string]>([
    ['mapped', dotted('::ffff:')],
    ['mapped, in hex', (ip) => `::ffff:${asHex(ip)}`],
    ['mapped, written out', (ip) => `0:0:0:0:0:ffff:${asHex(ip)}`],
    ['mapped, in capitals', (ip) => `::FFFF:${asHex(ip).toUpperCase()}`],
    ['translated', dotted('::ffff:0:')],
    ['compatible', dotted('::')],
    ['through NAT64', dotted('64:ff9b::')],
    ['through NAT64, written out', (ip) => `0064:ff9b:0:0:0:0:${asHex(ip)}`],
    ['through 6to4', (ip) => `2002:${asHex(ip)}::`],
    ['through 6to4, with a host', (ip) => `2002:${asHex(ip)}:1:2:3:4:5`],
  ])('is refused where that is, and only there: %s', (_, spelt) => {
    for (const [, before, first, last, after] of V4) {
      for (const ip of [first, last]) {
        expect(objectionToIp(spelt(ip)), spelt(ip)).toBeDefined();
        expect(ofUrl(`http://[${spelt(ip)}]/`), spelt(ip)).toBeDefined();
      }
      for (const ip of [before, after].filter(Boolean)) {
        expect(objectionToIp(spelt(ip)), spelt(ip)).toBeUndefined();
        expect(ofUrl(`http://[${spelt(ip)}]/`), spelt(ip)).toBeUndefined();
      }
    }
  });
});

it.each([
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '100::1',
  '64:ff9b:1::8.8.8.8',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:20::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456:789a::1',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  'ff02::1',
])('refuses what no public network has: %s', (ip) => {
  expect(objectionToIp(ip)).toContain(ip);
});

it.each([
  '',
  '1.2.3',
  '1.2.3.4.5',
  '1.2.3.256',
  '01234.1.1.1',
  '1.2.3.-4',
  '1.2.3.0x4',
  ':',
  ':::',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '::1.2.3.256',
  '::12345',
  '::g',
  '1.2.3.4:80',
])('refuses what is no address: %j', (ip) => {
  expect(objectionToIp(ip)).toBe(`${ip} is not an address`);
});

describe('a name', () => {
  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'localhost..',
    'localhost。',
    'ｌｏｃａｌｈｏｓｔ',
    'a.localhost',
    'localhost.localdomain',
    'intranet',
    'router',
    'ip6-localhost',
    'printer.local',
    'printer.local.',
    'printer.local..',
    'printer。local',
    'PRINTER.LOCAL',
    'metadata.google.internal',
    'kubernetes.default.svc.cluster.local',
    'nas.lan',
    'nas.home',
    'nas.home.arpa',
    'mail.corp',
    'wiki.intranet',
    'abc.onion',
    'a.test',
    'a.invalid',
    'a.example',
  ])('is refused if it is local, or nobody’s: %s', (name) => {
    expect(ofUrl(`https://${name}/`)).toMatch(/is a local name$/);
  });

  it.each([
    'app.example.org',
    'example.com',
    'example.com.',
    'local.example.org',
    'localhost.example.org',
    'mylocalhost.org',
    'notlocal',
    'thelocal.se',
    'homes.com',
    'corporate.com',
    'xn--bcher-kva.de',
    'bücher.de',
    '127.0.0.1.example.org',
    'lan.org',
  ])('is fine if it is public: %s', (name) => {
    expect(ofUrl(`https://${name.includes('.') ? name : `${name}.org`}/`)).toBeUndefined();
  });

  it('is refused if there is none', () => {
    expect(objectionToHost('')).toBe('an empty host is a local name');
    expect(objectionToHost('.')).toBe('. is a local name');
  });
});

describe('a URL', () => {
  it.each([
    'ftp://example.org/',
    'file:///etc/passwd',
    'data:text/html,x',
    'ws://example.org/',
    'javascript:0',
  ])('is refused if it is not of the web: %s', (url) => {
    expect(ofUrl(url)).toBe('only http and https are fetched');
  });

  it.each(['https://user@example.org/', 'https://:pass@example.org/', 'https://user:pass@example.org/'])(
    'is refused with a user: %s',
    (url) => {
      expect(ofUrl(url)).toBe('a URL with a user name or password in it is not fetched');
    },
  );

  it.each([
    'https://example.org:8443/',
    'http://example.org:443/',
    'https://example.org:80/',
    'http://example.org:22/',
  ])('is refused with a port of its own: %s', (url) => {
    expect(ofUrl(url)).toBe('only the default ports are fetched');
  });

  it.each(['https://example.org:443/', 'http://example.org:80/', 'https://@example.org/', 'http://1.1.1.1/'])(
    'is fine as %s',
    (url) => {
      expect(ofUrl(url)).toBeUndefined();
    },
  );
});
