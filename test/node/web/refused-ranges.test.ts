import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NAT64, objectionToIp, refusedRanges } from '../../../src/web/address.ts';
import { holdsFor } from '../../support/property.ts';

/** Node's own idea of these ranges. */
function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [ip = '', length = ''] = range.split('/');
    list.addSubnet(ip, Number(length), ip.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}

// Apart, because Node takes an IPv4 address for the mapped one as well.
const v4Ranges = refusedRanges().filter((range) => !range.includes(':'));
const v6Ranges = refusedRanges().filter((range) => range.includes(':'));
const v4List = listOf(v4Ranges);
const v6List = listOf(v6Ranges);
const longV6List = listOf(v6Ranges.filter((range) => Number(range.split('/')[1]) >= 96));
const nat64 = listOf([NAT64]);

/** A filter in which the longest range decides, with all addresses and NAT64 allowed. */
function isRefused(ip: string): boolean {
  if (!ip.includes(':')) return v4List.check(ip, 'ipv4');
  return (nat64.check(ip, 'ipv6') ? longV6List : v6List).check(ip, 'ipv6');
}

const v4 = fc.ipV4();
/** IPv4 addresses near the ends of ranges, of which even many random ones hit few. */
const edges = fc.constantFrom(...v4Ranges).chain((range) => {
  const [ip = '', length = ''] = range.split('/');
  const first = ip.split('.').reduce((bits, part) => bits * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(length));
  return fc.constantFrom(first - 1, first, first + size - 1, first + size).map((bits) => dotted(bits >>> 0));
});
const dotted = (bits: number) => [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.');
const hex = (ip: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};

describe('the ranges for the local runtime', () => {
  it.each([
    ['127.0.0.1', true],
    ['10.1.2.3', true],
    ['100.64.0.1', true],
    ['169.254.169.254', true],
    ['198.18.0.1', true],
    ['0.0.0.0', true],
    ['::1', true],
    ['fd00::1', true],
    ['fe80::1', true],
    ['64:ff9b::7f00:1', true],
    ['64:ff9b::a9fe:a9fe', true],
    ['2002:7f00:1::', true],
    ['2002:a00:1::1', true],
    ['1.1.1.1', false],
    ['2606:4700::1111', false],
    ['64:ff9b::101:101', false],
    ['2002:101:101::', false],
  ])('hold %s: %s', (ip, refused) => {
    expect([isRefused(ip), objectionToIp(ip) !== undefined]).toEqual([refused, refused]);
  });

  it('say the same as the check by address', () => {
    const addresses = fc.oneof(
      v4,
      fc.ipV6(),
      ...[v4, edges].flatMap((ip) => [
        ip,
        ip.map((one) => `64:ff9b::${hex(one)}`),
        ip.map((one) => `2002:${hex(one)}::5`),
      ]),
    );
    holdsFor(
      addresses.filter((ip) => !/^(?:0*:)*(?:ffff|::ffff)/i.test(ip)),
      (ip) => {
        expect([ip, isRefused(ip)]).toEqual([ip, objectionToIp(ip) !== undefined]);
      },
    );
  });
});
