import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { JsonRefused, MAX_DEPTH, MAX_VALUES, parseStrictJson } from '../../../src/core/json.ts';
import { anyText, holdsFor, plainJson } from '../../support/property.ts';

const refusal = (text: string): string => {
  try {
    parseStrictJson(text);
  } catch (error) {
    if (error instanceof JsonRefused) return error.message;
    throw error;
  }
  throw new Error(`accepted: ${text.slice(0, 80)}`);
};

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

afterEach(() => {
  vi.restoreAllMocks();
});

describe('parseStrictJson', () => {
  describe('takes what JSON.parse takes', () => {
    it.each([
      ['null'],
      ['true'],
      ['"text"'],
      ['-0.5'],
      ['[]'],
      ['{}'],
      [' \t\r\n{ "a" : [ 1 , { "b" : null } ] } \n'],
      ['{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}'],
      ['{"a":"a","b":"a"}'],
      ['{"a":["a","a"]}'],
      ['{"a\\"\\"":1,"b\\"\\"":2}'],
      ['{"a":1,"A":2}'],
      ['{"\u00e1":1,"a\u0301":2}'],
      ['{"":1," ":2}'],
      ['{"__proto__":{"polluted":true}}'],
    ])('%s', (text) => {
      expect(JSON.stringify(parseStrictJson(text))).toBe(JSON.stringify(JSON.parse(text)));
    });

    it('and gives back every value of plain content', () => {
      holdsFor(plainJson, (value) => {
        expect(parseStrictJson(JSON.stringify(value))).toStrictEqual(value);
        expect(parseStrictJson(JSON.stringify(value, null, '\t'))).toStrictEqual(value);
      });
    });
  });

  describe('refuses a key that occurs twice in one object', () => {
    it.each([
      ['at the root', '{"a":1,"a":2}'],
      ['with equal values', '{"a":1,"a":1}'],
      ['with other keys in between', '{"a":1,"b":2,"a":3}'],
      ['spelt with an escape', '{"a":1,"\\u0061":2}'],
      ['spelt with an escape first', '{"\\u0061":1,"a":2}'],
      ['spelt with two escapes of a line end', '{"\\n":1,"\\u000A":2}'],
      ['spelt with an escaped slash', '{"/":1,"\\/":2}'],
      ['an emoji, as itself and as an escaped pair', '{"😀":1,"\\ud83d\\ude00":2}'],
      ['the empty key', '{"":1,"":2}'],
      ['inside an object', '{"x":{"a":1,"a":2}}'],
      ['inside an array of objects', '[{"a":1},{"a":1,"a":2}]'],
      ['after an object that closed', '{"a":{"b":1},"a":2}'],
      ['after an array that closed', '{"a":[[],{}],"a":2}'],
      ['with space before the colon', '{"a" : 1,"a"\n\t : 2}'],
      ['after a string full of punctuation', '{"a":"}],{\\"a\\":\\\\","a":2}'],
    ])('%s', (_, text) => {
      expect(refusal(text)).toMatch(/^The key ".*" occurs twice in one object\.$/s);
    });

    it('whatever the key, its spelling and its surroundings', () => {
      const escaped = (key: string) =>
        `"${[...Array(key.length).keys()].map((i) => `\\u${key.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`;
      holdsFor(fc.tuple(anyText, plainJson, fc.boolean()), ([key, value, swap]) => {
        const spellings = swap ? [escaped(key), JSON.stringify(key)] : [JSON.stringify(key), escaped(key)];
        const [first, second] = spellings;
        const body = JSON.stringify(value);
        expect(refusal(`[${body},{${first}:${body},${second}:${body}}]`)).toContain('occurs twice');
      });
    });
  });

  describe('refuses half of a surrogate pair', () => {
    it.each([
      ['escaped, the first half', '"\\ud83d"'],
      ['escaped, the second half', '"\\ude00"'],
      ['escaped in capitals', '"\\uD83D"'],
      ['escaped, the halves swapped', '"\\ude00\\ud83d"'],
      ['escaped, a pair with something in between', '"\\ud83d \\ude00"'],
      ['raw', '"\ud83d"'],
      ['half of it raw and half escaped twice', '"\\ud83d\\ud83d\\ude00"'],
      ['in a key', '{"\\ud83d":1}'],
      ['raw in a key', '{"\ude00":1}'],
      ['in a key below', '[{"a":[{"\\ud83d":1}]}]'],
      ['in an array', '["fine","\\udfff"]'],
    ])('%s', (_, text) => {
      expect(refusal(text)).toBe('A string holds half of a surrogate pair.');
    });

    it.each([
      ['a raw pair', '"😀"'],
      ['an escaped pair', '"\\ud83d\\ude00"'],
      ['a pair in a key', '{"\\uD83D\\uDE00":1}'],
      ['the text of an escape', '"\\\\ud83d"'],
    ])('but takes %s', (_, text) => {
      expect(parseStrictJson(text)).toStrictEqual(JSON.parse(text));
    });
  });

  describe('refuses what is long by its many values', () => {
    const listOf = (values: number, one: string) => `[${Array(values).fill(one).join(',')}]`;
    const said = 'The JSON has more than 100000 values; send less at once, or as text.';

    it('takes as many as the limit and no more', () => {
      expect(parseStrictJson(listOf(MAX_VALUES - 1, '0'))).toHaveLength(MAX_VALUES - 1);
      expect(refusal(listOf(MAX_VALUES, '0'))).toBe(said);
      expect(parseStrictJson(listOf(MAX_VALUES / 2 - 1, '{}'))).toHaveLength(MAX_VALUES / 2 - 1);
      expect(refusal(listOf(MAX_VALUES / 2, '[]'))).toBe(said);
    });

    it('does not count what is in texts', () => {
      const text = JSON.stringify({ text: '[{,}],"\\'.repeat(MAX_VALUES) });
      expect(parseStrictJson(text)).toStrictEqual(JSON.parse(text));
    });

    it('before it parses anything', () => {
      const parse = vi.spyOn(JSON, 'parse');
      for (const one of ['{}', '[]', '0', '{"a":{}}', '""']) refusal(listOf(500_000, one));
      expect(parse).not.toHaveBeenCalled();
    });

    it.each([
      ['ends with a backslash', String.raw`"a\\"`],
      ['ends with a quote', String.raw`"a\\\""`],
      ['is only backslashes', `"${String.raw`\\`.repeat(50)}"`],
    ])('and finds the end of a text that %s', (_, literal) => {
      const text = `{"a":${literal},"b":[1,{"c":${literal}}]}`;
      expect(parseStrictJson(text)).toStrictEqual(JSON.parse(text));
      expect(refusal(`{"a":${literal},"a":1}`)).toContain('occurs twice');
    });

    it.each(['"', String.raw`"\"`, '"a', '["a', String.raw`{"a":"\"`])('and an endless text: %s', (text) => {
      expect(refusal(text)).toBe('This is not valid JSON.');
    });
  });

  describe('refuses integers that a double cannot tell apart', () => {
    it.each([
      ['9007199254740992'],
      ['-9007199254740992'],
      ['9007199254740993'],
      ['1e16'],
      ['1E+16'],
      ['10000000000000000.0'],
      ['1e400'],
      ['-1e400'],
      ['123456789012345678901234567890'],
    ])('%s', (literal) => {
      const message = `The number ${literal} is too large to be exact; send it as a string.`;
      expect(refusal(literal)).toBe(message);
      expect(refusal(`{"a":[1,${literal}]}`)).toBe(message);
    });

    it('and quotes at most the beginning of an endless one', () => {
      expect(refusal('7'.repeat(1_000))).toBe(
        `The number ${'7'.repeat(40)} is too large to be exact; send it as a string.`,
      );
    });

    it.each([
      ['9007199254740991', 9_007_199_254_740_991],
      ['-9007199254740991', -9_007_199_254_740_991],
      ['1e3', 1_000],
      ['0', 0],
      ['3.14159265358979323846264338327950288', Math.PI],
      ['123456789.123456789012345678', 123_456_789.123_456_79],
      ['1e-7', 1e-7],
      ['"9007199254740993"', '9007199254740993'],
      ['{"9007199254740993":1}', { '9007199254740993': 1 }],
    ])('but takes %s', (text, value) => {
      expect(parseStrictJson(text)).toStrictEqual(value);
    });
  });

  describe('refuses deep nesting', () => {
    it(`takes ${MAX_DEPTH} levels and not one more, of arrays and of objects`, () => {
      const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
      expect(MAX_DEPTH).toBe(32);
      for (const make of [nested, objects]) {
        expect(JSON.stringify(parseStrictJson(make(32)))).toBe(make(32));
        expect(refusal(make(33))).toBe('The JSON is nested more than 32 deep.');
      }
    });

    it('counts levels, not brackets', () => {
      const wide = `[${'[],{},'.repeat(1_000)}[]]`;
      expect(parseStrictJson(wide)).toHaveLength(2_001);
    });

    it('does not count brackets inside strings', () => {
      const text = JSON.stringify({ ['{['.repeat(50)]: `"${'[{'.repeat(50)}\\` });
      expect(parseStrictJson(text)).toStrictEqual(JSON.parse(text));
    });

    it('counts brackets after a string that ends in an escaped backslash', () => {
      expect(refusal(`["\\\\",${nested(32)}]`)).toContain('nested more than 32');
    });

    it('before a parser that recurses sees the text', () => {
      const parse = vi.spyOn(JSON, 'parse');
      for (const text of ['['.repeat(100_000), nested(100_000), '{"a":'.repeat(100_000)]) {
        expect(refusal(text)).toBe('The JSON is nested more than 32 deep.');
      }
      expect(parse).not.toHaveBeenCalled();
    });

    it('and is not fooled by closing brackets that come first', () => {
      expect(refusal(`${']'.repeat(50)}${'['.repeat(50)}`)).toBe('This is not valid JSON.');
    });

    it('at the depth that the caller names, when it does', () => {
      expect(parseStrictJson(nested(35), 35)).toBeDefined();
      expect(() => parseStrictJson(nested(36), 35)).toThrow('nested more than 35 deep');
    });
  });

  it.each([
    ['nothing', ''],
    ['only space', '  '],
    ['a text that is cut off in an object', '{"a":1'],
    ['a text that is cut off in a string', '"abc'],
    ['a text that is cut off in an escape', '"abc\\'],
    ['a text that is cut off in a number', '[1,-'],
    ['a comma too many in an array', '[1,]'],
    ['a comma too many in an object', '{"a":1,}'],
    ['a byte order mark', '\ufeff{}'],
    ['two values', '{} {}'],
    ['a comment', '{}//'],
    ['single quotes', "{'a':1}"],
    ['a bare key', '{a:1}'],
    ['a raw line end in a string', '"a\nb"'],
    ['NaN', 'NaN'],
    ['a number that begins with zero', '01'],
    ['a hexadecimal number', '0x10'],
  ])('refuses %s', (_, text) => {
    expect(refusal(text)).toBe('This is not valid JSON.');
  });
});
