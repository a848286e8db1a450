import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectionTo } from '../../../src/web/address.ts';
import { holdsFor } from '../../support/property.ts';

/** How an address of 32 bits is written in a URL, in one of the ways that a parser takes. */
type Spelling = (bits: number) => string;

const octets = (bits: number) => [bits >>> 24, (bits >>> 16) & 255, (bits >>> 8) & 255, bits & 255] as const;

const number: Record<string, (value: number) => string> = {
  decimal: String,
  hex: (value) => `0x${value.toString(16)}`,
  'HEX, with noughts': (value) => `0X000${value.toString(16).toUpperCase()}`,
  octal: (value) => `0${value.toString(8)}`,
};
const inAnyBase = fc.constantFrom(...Object.values(number));

/** One to four numbers, the last of which takes all that is left, each in a base of its own. */
const numeric: fc.Arbitrary<Spelling> = fc
  .tuple(fc.integer({ min: 1, max: 4 }), inAnyBase, inAnyBase, inAnyBase, inAnyBase)
  .map(([parts, ...spell]) => (bits) => {
    const head = octets(bits).slice(0, parts - 1);
    const tail = parts === 1 ? bits : bits & (2 ** (8 * (5 - parts)) - 1);
    return [...head, tail].map((value, i) => spell[i]?.(value)).join('.');
  });

const dotted: Spelling = (bits) => octets(bits).join('.');
const groups = (bits: number) => `${(bits >>> 16).toString(16)}:${(bits & 0xffff).toString(16)}`;

/** The same in letters that a parser folds into plain ones. */
const disguised: fc.Arbitrary<Spelling> = fc
  .tuple(numeric, fc.constantFrom('.', '。', '．', '｡'), fc.boolean(), fc.boolean(), fc.boolean())
  .map(([spell, dot, wide, encoded, rooted]) => (bits) => {
    let text = spell(bits);
    if (wide) text = text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
    if (encoded) text = text.replace(/^[0-9]/, (digit) => `%3${digit}`);
    return text.replaceAll('.', dot) + (rooted ? dot : '');
  });

const inIpv6: fc.Arbitrary<Spelling> = fc.constantFrom(
  (bits) => `[::ffff:${dotted(bits)}]`,
  (bits) => `[::ffff:${groups(bits)}]`,
  (bits) => `[0:0:0:0:0:FFFF:${groups(bits)}]`,
  (bits) => `[::ffff:0:${dotted(bits)}]`,
  (bits) => `[::${groups(bits)}]`,
  (bits) => `[64:ff9b::${dotted(bits)}]`,
  (bits) => `[2002:${groups(bits)}::1]`,
);

const spelling = fc.oneof(numeric, disguised, inIpv6);

const within = (first: string, length: number) => {
  const start = first.split('.').reduce((bits, octet) => bits * 256 + Number(octet), 0);
  return fc.integer({ min: start, max: start + 2 ** (32 - length) - 1 });
};

const special = fc.oneof(
  within('0.0.0.0', 8),
  within('10.0.0.0', 8),
  within('100.64.0.0', 10),
  within('127.0.0.0', 8),
  within('169.254.0.0', 16),
  within('172.16.0.0', 12),
  within('192.0.0.0', 24),
  within('192.0.2.0', 24),
  within('192.88.99.0', 24),
  within('192.168.0.0', 16),
  within('198.18.0.0', 15),
  within('198.51.100.0', 24),
  within('203.0.113.0', 24),
  within('224.0.0.0', 3),
);
const ordinary = fc.oneof(
  within('1.0.0.0', 8),
  within('93.184.0.0', 16),
  within('151.101.0.0', 16),
  within('200.0.0.0', 8),
);

const objection = (host: string) => objectionTo(new URL(`http://${host}/`));

describe('an IPv4 address, in whatever way it is written', () => {
  it('is refused if it is of a special range', () => {
    holdsFor(fc.tuple(special, spelling), ([bits, spell]) => {
      expect(objection(spell(bits)), spell(bits)).toBeDefined();
    });
  });

  it('is fetched if it is not', () => {
    holdsFor(fc.tuple(ordinary, spelling), ([bits, spell]) => {
      expect(objection(spell(bits)), spell(bits)).toBeUndefined();
    });
  });

  it.each([
    '2130706433',
    '0x7f000001',
    '017700000001',
    '0177.0.0.1',
    '0x7f.1',
    '127.1',
    '127.0.1',
    '127.0.0.1.',
    '127.0.0.1..',
    '0000177.1',
    '１２７.0.0.1',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '0',
    '0.0.0.0',
    '4294967295',
    '[::]',
    '[::1]',
    '[0:0::0:1]',
    '[::127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:127.0.0.1]',
  ])('is refused as %s, as attackers have written it', (host) => {
    expect(objection(host)).toBeDefined();
  });

  it.each(['256.256.256.256', '1.2.3.4.5', '0x100000000', '[::g]', '[fe80::1%25eth0]', '127.0.0.1%00'])(
    'is no URL at all as %s',
    (host) => {
      expect(URL.canParse(`http://${host}/`)).toBe(false);
    },
  );
});
