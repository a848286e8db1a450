import { describe, expect, it } from 'vitest';
import { addressFrom, networkOf } from '../../../src/owner/address.ts';

describe('where a request comes from', () => {
  const request = new Request('http://localhost/', {
    headers: { 'cf-connecting-ip': '203.0.113.7', 'x-forwarded-for': '203.0.113.8' },
  });

  it('is what the platform says, where there is one', () => {
    expect(addressFrom('cf-connecting-ip')(request)).toBe('203.0.113.7');
    expect(addressFrom('cf-connecting-ip')(new Request('http://localhost/'))).toBe('local');
  });

  it.each([undefined, ''])('is no client’s word where no platform says it (%j)', (header) => {
    expect(addressFrom(header)(request)).toBe('local');
  });
});

describe('what limits count by', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['local', 'local'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['2001:db8:1:2:3::', '2001:db8:1:2::/64'],
    // An IPv4 address in the clothes of IPv6 stays one address.
    ['::ffff:203.0.113.7', '::ffff:203.0.113.7'],
  ])('%s → %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
