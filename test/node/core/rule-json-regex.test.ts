import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/core/json.ts';
import { jsonProblem } from '../../../src/gate/rules/rule-json-regex.ts';
import { parseRegex } from '../../../src/gate/rules/rule-regex.ts';

function problemOf(source: string) {
  const parsed = parseRegex(source);
  if ('problem' in parsed) throw new Error(`${source}: ${parsed.problem.message}`);
  return jsonProblem(source, parsed.pieces);
}

const matches = (source: string, value: unknown) =>
  RE2JS.compile(source).testExact(typeof value === 'string' ? value : canonicalJson(value));

const OPEN_STRING = {
  code: 'open_structure',
  message: 'A string that the pattern begins is not ended in every case, so what follows could be inside it.',
  suggestion: 'Write the two quotes of a string side by side, both inside a group or both outside.',
};
const OPEN_KEY = {
  code: 'open_structure',
  message: 'A key is not written out, so the pattern could match an argument nobody thought of.',
  suggestion: 'Write each key whole, with its quotes and its colon: `"path":`.',
};
const REPEATED_QUOTE = {
  code: 'crosses_quote',
  message: 'A repetition can match a quote or a backslash, and so go past the end of a string.',
  suggestion: 'Repeat only what is inside a string: `[^"\\\\]*` goes up to its end.',
};
const LONE_BACKSLASH = {
  code: 'crosses_quote',
  message: 'A backslash in JSON begins an escape, and the pattern does not say which.',
  suggestion:
    'Write the escape out: `\\\\n` for a line end, `\\\\"` for a quote, `\\\\\\\\` for a backslash.',
};
const classInString = (text: string) => ({
  code: 'crosses_quote',
  message: `\`${text}\` can match a quote or a backslash, and so go past the end of a string.`,
  suggestion: 'Put `[^"\\\\]` in its place, which is anything inside a string.',
});
const classOutside = (text: string) => ({
  code: 'open_structure',
  message: `\`${text}\` can match a colon outside a string, and so give a key that nobody thought of.`,
  suggestion: 'Put `[^"\\\\:]` in its place, or better what the value may be, such as `[0-9]`.',
});
const mendedTo = (source: string) => `Write \`${source}\`.`;

describe("the source's example", () => {
  it.each([
    ['as it is printed, escaped twice', String.raw`^{"path":".*\\.txt"}$`],
    ['as it was meant', String.raw`^{"path":".*\.txt"}$`],
  ])('%s, is refused, and what is offered instead is taken and matches', (_, source) => {
    const offered = String.raw`^{"path":"[^"\\]*\.txt"}$`;
    expect(problemOf(source)).toEqual({ ...classInString('.'), suggestion: mendedTo(offered) });
    expect(problemOf(offered)).toBeUndefined();
    expect(matches(offered, '{"path":"test.txt"}')).toBe(true);
    expect(matches(offered, { path: 'test.txt', root: 'other.txt' })).toBe(false);
    expect(matches(offered, { path: 'testtxt' })).toBe(false);
  });

  it('would have let more through than a path', () => {
    const source = String.raw`^{"path":".*\.txt"}$`;
    expect(matches(source, { path: 'a', root: 'secrets.txt' })).toBe(true);
  });
});

describe('a pattern over JSON', () => {
  it.each([
    '^{}$',
    '^{"a":1}$',
    '^{"a":"b"}$',
    '^\\{"a":"b"\\}$',
    '^{"a":""}$',
    '^{"a":"[^"\\\\]*"}$',
    '^{"a":"[a-z]+","b":[0-9]{1,3}}$',
    '^{"a":"\\w*\\.txt"}$',
    '^{"a":"x?"}$',
    '^{"a":"(x|yz)*"}$',
    '^{"a":"(?:src|test)/[\\w/]+"}$',
    '^{"a":("x"|"y"|null|true|[0-9]+)}$',
    '^{("a":1|"b":2)}$',
    '^{"a":1(,"b":"[a-z]*")?}$',
    '^{"a":1(,"b":"[a-z]*"){0,1}}$',
    '^{"a":1(,"b":"[a-z]*"){1}}$',
    '^{"a":\\[([0-9],?)*\\]}$',
    '^{"a":\\["x"(,"y")?\\]}$',
    '^{"a":{"b":{"c":-?\\d+(\\.\\d+)?}}}$',
    '^{"a":[^"\\\\:]*}$',
    '^{"a":":[:]*:+","b":1}$',
    '^{"a b-c:":1}$',
    '^{"say \\\\"hi\\\\"":1}$',
    '^{"a":"say \\\\"hi\\\\"","b":"\\\\n\\\\u00[01][0-9a-f]"}$',
    '^{"a":"\\\\\\\\"}$',
    '^{"a":"\\\\/\\\\b\\\\f\\\\r\\\\t"}$',
    '^\\x{7b}\\x22a\\x22:1}$',
    '^{"a":"\\bword\\b"}$',
    '^"a"$',
    '^1$',
  ])('%s is taken', (source) => {
    expect(problemOf(source)).toBeUndefined();
  });

  describe('is refused if what repeats can match a quote or a backslash', () => {
    it.each([
      ['.*', '[^"\\\\]*'],
      ['.+', '[^"\\\\]+'],
      ['.*?', '[^"\\\\]*?'],
      ['.{2,}', '[^"\\\\]{2,}'],
      ['.{2}', '[^"\\\\]{2}'],
      ['.?', '[^"\\\\]?'],
      ['.', '[^"\\\\]'],
      ['[^/]*', '[^"\\\\/]*'],
      ['[^a-z]', '[^"\\\\a-z]'],
      ['[^"]*', '[^"\\\\"]*'],
      ['[^\\\\]*', '[^"\\\\\\\\]*'],
      ['\\S+', '[^"\\\\\\s]+'],
      ['\\W*', '[^"\\\\\\w]*'],
      ['\\D*', '[^"\\\\\\d]*'],
      ['\\PL*', '[^"\\\\\\pL]*'],
      ['\\P{Greek}*', '[^"\\\\\\p{Greek}]*'],
      ['[\\s\\S]*', '[^"\\\\]*'],
      ['[\\d\\D]*', '[^"\\\\]*'],
      ['[\\w\\W]*', '[^"\\\\]*'],
      ['(a|.)*', '(a|[^"\\\\])*'],
      ['(?:.*|b)x.', '(?:[^"\\\\]*|b)x[^"\\\\]'],
    ])('%s: %s is offered', (part, better) => {
      const source = `^{"a":"${part}","b":1}$`;
      const offered = `^{"a":"${better}","b":1}$`;
      expect(problemOf(source)).toMatchObject({ code: 'crosses_quote', suggestion: mendedTo(offered) });
      expect(problemOf(offered)).toBeUndefined();
    });

    it.each([
      '["a]*',
      '[ -~]*',
      '[!-z]+',
      '[^]a]*',
      '\\p{^L}*',
      '[\\PL]*',
      '[[:punct:]]*',
      '[\\\\]',
      '[\\s\\D]*',
      '[ -~[^b]*',
    ])('%s: what was meant is not clear, so nothing is put in its place', (part) => {
      const text = /^(?:\[.*\]|\\p\{.*\})/.exec(part)?.[0] ?? '';
      expect(problemOf(`^{"a":"${part}"}$`)).toEqual(classInString(text));
    });

    it.each([
      '("x",?)*',
      '(,"[a-z]+":1)+',
      '(?:,"b":1){2}',
      '(?:,"b":1){0,2}',
      '((,"b":1)?)*',
      '("){2}',
      '"*',
      '(?:"a":1,)*',
      '(\\\\)*',
      '\\\\{2}',
    ])('%s: quotes or backslashes themselves', (part) => {
      expect(problemOf(`^{"a":1${part}}$`)).toEqual(REPEATED_QUOTE);
    });

    it('tells that of a class that repeats within a repetition too', () => {
      expect(problemOf('^{"a":"(x(?:.)?)*"}$')).toEqual({
        ...classInString('.'),
        suggestion: mendedTo('^{"a":"(x(?:[^"\\\\])?)*"}$'),
      });
    });
  });

  it('is refused for a single dot too, since seven of them are `","b":"`', () => {
    const seven = '^{"a":"x.......y"}$';
    expect(matches(seven, { a: 'x', b: 'y' })).toBe(true);
    expect(problemOf(seven)).toEqual({
      ...classInString('.'),
      suggestion: mendedTo(`^{"a":"x${'[^"\\\\]'.repeat(7)}y"}$`),
    });
    // One alone does no harm inside a string, but can begin an escape.
    expect(matches('^{"a":"x.n"}$', { a: 'x\n' })).toBe(true);
  });

  describe('is refused if a key is not written out', () => {
    it.each([
      '^{"[a-z]":1}$',
      '^{"[a-z]+":1}$',
      '^{"a?":1}$',
      '^{"(a)":1}$',
      '^{"(a|b)":1}$',
      '^{("a"|"b"):1}$',
      '^{"a"(:)1}$',
      '^{"a":?1}$',
      '^{"a"x:1}$',
      '^{:1}$',
      '^{"a"::1}$',
      '^{"a"(?:):1}$',
      '^{"a"\\b:1}$',
      '^{"\\ba":1}$',
      '^{"a":1,"[a-z]":1}$',
      '^{"a":"b","c[d]":1}$',
      '^{"x":1,([a-z]|"y")?:1}$',
      '^{"(":1)}$',
    ])('%s', (source) => {
      expect(problemOf(source)).toEqual(OPEN_KEY);
    });

    it.each([
      ['[^"\\\\]*', '[^"\\\\:"\\\\]*'],
      ['[^"\\\\,]', '[^"\\\\:"\\\\,]'],
    ])('because %s outside a string could be its colon: %s is offered', (part, better) => {
      const offered = `^{"a"${better}}$`;
      expect(problemOf(`^{"a"${part}}$`)).toEqual({
        ...classOutside(part.replace('*', '')),
        suggestion: mendedTo(offered),
      });
      expect(problemOf(offered)).toBeUndefined();
    });

    it('and says so of a class that can not be mended', () => {
      expect(problemOf('^{"a"[:-]1}$')).toEqual(classOutside('[:-]'));
    });

    it.each([
      ['^{"a":.*}$', '^{"a":[^"\\\\:]*}$'],
      ['^{"a":\\S}$', '^{"a":[^"\\\\:\\s]}$'],
      ['^{"a":[^,]*,"b":".*"}$', '^{"a":[^"\\\\:,]*,"b":"[^"\\\\]*"}$'],
    ])('%s: outside a string, what is offered excludes the colon', (source, offered) => {
      expect(problemOf(source)).toMatchObject({ code: 'crosses_quote', suggestion: mendedTo(offered) });
      expect(problemOf(offered)).toBeUndefined();
    });
  });

  describe('is refused if a string is left open in some case', () => {
    it.each([
      '^{"a}$',
      '^{"a":"b}$',
      '^{"a":"b"?}$',
      '^{"a":"?b"}$',
      '^{"a":("b|c)"}$',
      '^{"a":("b"|"c)}$',
      '^{"a":("b")}"?$',
      '^("){0}$',
      '^"$',
    ])('%s', (source) => {
      expect(problemOf(source)).toEqual(OPEN_STRING);
    });
  });

  describe('is refused if a backslash is not an escape of JSON', () => {
    it.each(['\\\\x', '\\\\d', '\\\\[n]', '\\\\(n)', '\\\\n?', '(?:\\\\)n', '\\\\\\b', 'n\\\\ '])(
      '%s',
      (part) => {
        expect(problemOf(`^{"a":"${part}"}$`)).toMatchObject({ code: 'crosses_quote' });
      },
    );

    it('and one that escapes the closing quote leaves the string open', () => {
      expect(problemOf('^{"a":"\\\\"}$')).toEqual(OPEN_STRING);
    });

    it('unless it was escaped twice, which is put right', () => {
      expect(problemOf('^{"a":"x\\\\.y"}$')).toEqual({
        ...LONE_BACKSLASH,
        suggestion: mendedTo('^{"a":"x\\.y"}$'),
      });
      expect(problemOf('^{"a":"\\\\d"}$')).toEqual({
        ...LONE_BACKSLASH,
        suggestion: mendedTo('^{"a":"\\d"}$'),
      });
      expect(problemOf('^{"a":"\\\\(n)"}$')).toEqual(LONE_BACKSLASH);
      expect(problemOf('^{"a":"\\\\\\x6eb\\\\.c"}$')).toEqual({
        ...LONE_BACKSLASH,
        suggestion: mendedTo('^{"a":"\\\\\\x6eb\\.c"}$'),
      });
    });
  });

  it('has nothing offered that would be refused again', () => {
    expect(problemOf('^{"a":"\\\\["]"}$')).toEqual(LONE_BACKSLASH);
    expect(problemOf('^{".*":".*"}$')).toEqual(classInString('.'));
    expect(problemOf(`^{"a":"${'.'.repeat(120)}"}$`)).toEqual(classInString('.'));
    expect(problemOf('^{"a":".*"(,"b":1)*}$')).toEqual(classInString('.'));
    expect(problemOf('^{"a":".*[!-z]"}$')).toEqual(classInString('.'));
  });
});
