/** Why an address may not be fetched, in words; `undefined` if it may. */
export type Objection = string | undefined;

/**
 * Objects to a URL that could reach inside somebody's network. The URL parser has already brought every odd
 * spelling (octal, hex, short, full-width) into one, so only canonical hosts need a check.
 */
export function objectionTo(url: URL): Objection {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only http and https are fetched';
  if (url.username || url.password) return 'a URL with a user name or password in it is not fetched';
  if (url.port !== '') return 'only the default ports are fetched';
  return objectionToHost(url.hostname);
}

/** Objects to a host name or address in the same way. */
export function objectionToHost(hostname: string): Objection {
  if (hostname.startsWith('[')) return objectionToIp(hostname.slice(1, -1));
  // A parser keeps two dots at the end, and then reads an address as a name.
  const name = hostname.replace(/(?<!\.)\.+$/, '').toLowerCase();
  if (/^\d+\.\d+\.\d+\.\d+$/.test(name)) return objectionToIp(name);
  if (name === '' || !name.includes('.')) return `${hostname || 'an empty host'} is a local name`;
  if (LOCAL_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`)))
    return `${name} is a local name`;
  return undefined;
}

/** Objects to an address that a resolver gave. */
export function objectionToIp(ip: string): Objection {
  const bits = ip.includes(':') ? ipv6Bits(ip) : ipv4Bits(ip);
  if (bits === undefined) return `${ip} is not an address`;
  const embedded = ip.includes(':') ? embeddedIpv4(bits) : bits;
  const special =
    embedded === undefined
      ? SPECIAL_V6.find((range) => covers(range, bits, 128))
      : SPECIAL_V4.find((range) => covers(range, embedded, 32));
  return special && `${ip} is in ${special.text} (${special.use})`;
}

/** The addresses through which networks without IPv4 reach it (RFC 6052). */
export const NAT64 = '64:ff9b::/96';

/**
 * Gives the refused ranges, for a filter in which the longest range that matches an address decides. The
 * filter should allow `NAT64` and treat IPv4-mapped addresses as IPv4.
 */
export function refusedRanges(): string[] {
  const inNat64 = SPECIAL_V4.map(({ text }) => {
    const [ip, length] = text.split('/');
    return `${NAT64.split('/')[0]}${ip}/${96 + Number(length)}`;
  });
  const in6to4 = SPECIAL_V4.map(({ first, length }) => {
    return `2002:${(first >> 16n).toString(16)}:${(first & 0xffffn).toString(16)}::/${16 + length}`;
  });
  return [...[...SPECIAL_V4, ...SPECIAL_V6].map(({ text }) => text), ...inNat64, ...in6to4];
}

interface Range {
  readonly text: string;
  readonly use: string;
  readonly first: bigint;
  readonly length: number;
}

/** Excludes leading zeros, because some programs then read octal. */
const DECIMAL = /^(?:0|[1-9]\d{0,2})$/;

const LOCAL_SUFFIXES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'lan',
  'home',
  'corp',
  'home.arpa',
  'onion',
  'test',
  'invalid',
  'example',
];

// The special-purpose registries of RFC 6890, with later additions.
const SPECIAL_V4 = ranges(ipv4Bits, [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'carrier NAT'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'protocol assignments'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'AS112'],
  ['192.52.193.0/24', 'AMT'],
  ['192.88.99.0/24', '6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'AS112'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
]);

/** Only 2000::/3 is assigned at all, so ranges outside it need no entry. */
const SPECIAL_V6 = [
  ...ranges(ipv6Bits, [
    ['2001::/23', 'protocol assignments, Teredo among them'],
    ['2001:db8::/32', 'documentation'],
    ['2620:4f:8000::/48', 'AS112'],
    ['3fff::/20', 'documentation'],
  ]),
  ...ranges(ipv6Bits, [
    ['::/3', 'not global unicast'],
    ['4000::/2', 'not global unicast'],
    ['8000::/1', 'not global unicast'],
  ]),
];

/** IPv6 forms that carry an IPv4 address, and the address's distance from the right. */
const CARRIERS = ranges(ipv6Bits, [
  ['::ffff:0:0/96', 'IPv4-mapped'],
  ['::ffff:0:0:0/96', 'IPv4-translated'],
  ['::/96', 'IPv4-compatible'],
  [NAT64, 'NAT64'],
]);
const SIX_TO_FOUR = ranges(ipv6Bits, [['2002::/16', '6to4']]);

function embeddedIpv4(bits: bigint): bigint | undefined {
  if (CARRIERS.some((range) => covers(range, bits, 128))) return bits & 0xffff_ffffn;
  if (SIX_TO_FOUR.some((range) => covers(range, bits, 128))) return (bits >> 80n) & 0xffff_ffffn;
  return undefined;
}

function ranges(
  bitsOf: (ip: string) => bigint | undefined,
  list: readonly (readonly [string, string])[],
): Range[] {
  return list.map(([text, use]) => {
    const [ip = '', length = ''] = text.split('/');
    return { text, use, first: bitsOf(ip) ?? 0n, length: Number(length) };
  });
}

function covers({ first, length }: Range, bits: bigint, width: number): boolean {
  const rest = BigInt(width - length);
  return bits >> rest === first >> rest;
}

function ipv4Bits(ip: string): bigint | undefined {
  const parts = ip.split('.');
  if (parts.length !== 4 || parts.some((part) => !DECIMAL.test(part) || Number(part) > 255)) return undefined;
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function ipv6Bits(ip: string): bigint | undefined {
  const [address = ''] = ip.split('%');
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const v4 = dotted?.[2] === undefined ? undefined : ipv4Bits(dotted[2]);
  if (dotted && v4 === undefined) return undefined;
  const hex =
    dotted && v4 !== undefined
      ? `${dotted[1]}${(v4 >> 16n).toString(16)}:${(v4 & 0xffffn).toString(16)}`
      : address;
  const halves = hex.split('::');
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array<string>(halves.length === 2 ? missing : 0).fill('0'), ...tail];
  if (groups.some((group) => !/^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}
