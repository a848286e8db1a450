import { describe, expect, it } from 'vitest';
import { canonicalJson, JsonRefused, parseStrictJson } from '../../../src/core/json.ts';
import { holdsFor, plainJson } from '../../support/property.ts';

/** The same value with every object's keys inserted the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
}

describe('canonicalJson', () => {
  it('does not depend on the order in which keys were written', () => {
    holdsFor(plainJson, (value) => {
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
    });
  });

  it('loses nothing, and says the same again', () => {
    holdsFor(plainJson, (value) => {
      const text = canonicalJson(value);
      expect(parseStrictJson(text)).toStrictEqual(value);
      expect(canonicalJson(parseStrictJson(text))).toBe(text);
    });
  });

  describe('writes numbers as RFC 8785 §3.2.2.3 does: as ECMAScript does', () => {
    it.each([
      [-0, '0'],
      [4.5, '4.5'],
      [2e-3, '0.002'],
      [1e-6, '0.000001'],
      [1e-7, '1e-7'],
      [1e20, '100000000000000000000'],
      [1e21, '1e+21'],
      [-1e21, '-1e+21'],
      [123e-20, '1.23e-18'],
      [0.1 + 0.2, '0.30000000000000004'],
      [Number.MAX_SAFE_INTEGER, '9007199254740991'],
      [Number.MIN_VALUE, '5e-324'],
      [Number.MAX_VALUE, '1.7976931348623157e+308'],
    ])('%d', (value, text) => {
      expect(canonicalJson(value)).toBe(text);
      expect(canonicalJson({ a: [value] })).toBe(`{"a":[${text}]}`);
    });
  });

  describe('writes strings as RFC 8785 §3.2.2.2 does: escaped only where JSON demands it', () => {
    it.each([
      ['the short escapes', '\b\t\n\f\r"\\', '"\\b\\t\\n\\f\\r\\"\\\\"'],
      ['other control characters, in lower case', '\u0000\u000b\u001f', '"\\u0000\\u000b\\u001f"'],
      ['a slash, as it is', '</script>', '"</script>"'],
      ['DEL and line separators, as they are', '\u007f\u2028\u2029', '"\u007f\u2028\u2029"'],
      ['letters beyond ASCII, as they are and not composed', 'é\u0065\u0301€', '"é\u0065\u0301€"'],
      ['a surrogate pair, as it is', '😀', '"😀"'],
    ])('%s', (_, value, text) => {
      expect(canonicalJson(value)).toBe(text);
      expect(canonicalJson({ [value]: value })).toBe(`{${text}:${text}}`);
    });
  });

  describe('sorts keys as RFC 8785 §3.2.3 does: by UTF-16 code unit', () => {
    it.each([
      ['digits are text', { 9: 0, 10: 0, 1: 0 }, '{"1":0,"10":0,"9":0}'],
      ['capitals first', { b: 0, a: 0, B: 0, _: 0 }, '{"B":0,"_":0,"a":0,"b":0}'],
      ['a prefix before what it begins', { aa: 0, a: 0, '': 0 }, '{"":0,"a":0,"aa":0}'],
      // U+1F600 is D83D DE00 in UTF-16, which is less than E000 although its code point is more.
      ['a pair before U+E000', { '\ue000': 0, '😀': 0, '\ud7ff': 0 }, '{"\ud7ff":0,"😀":0,"\ue000":0}'],
      ['by what the key is, not by how it is escaped', { '!': 0, '\n': 0 }, '{"\\n":0,"!":0}'],
      [
        'at every depth',
        { z: [{ b: 0, a: 0 }], a: { d: 0, c: 0 } },
        '{"a":{"c":0,"d":0},"z":[{"a":0,"b":0}]}',
      ],
    ])('%s', (_, value, text) => {
      expect(canonicalJson(value)).toBe(text);
    });
  });

  it('keeps the order of arrays and writes no space', () => {
    expect(canonicalJson([3, [null, true, false], {}, 'b', 'a'])).toBe('[3,[null,true,false],{},"b","a"]');
  });

  it.each([
    ['undefined', undefined],
    ['a function', () => 0],
    ['NaN', Number.NaN],
    ['an infinity', { a: Number.POSITIVE_INFINITY }],
    ['half of a surrogate pair', ['\ud83d']],
    ['half of a surrogate pair in a key', { '\ude00': 1 }],
    ['a bigint', 1n],
  ])('refuses %s', (_, value) => {
    expect(() => canonicalJson(value)).toThrow(JsonRefused);
  });
});
