import { describe, expect, it } from 'vitest';
import {
  MAX_REGEX_CHARS,
  type Piece,
  parseRegex,
  type Sequence,
} from '../../../src/gate/rules/rule-regex.ts';

const problemOf = (source: string) => {
  const parsed = parseRegex(source);
  return 'problem' in parsed ? parsed.problem : undefined;
};
const codeOf = (source: string) => problemOf(source)?.code;

/** A short form of what was read: literals as themselves, classes as `<…>`. */
function outline(source: string): string {
  const parsed = parseRegex(source);
  return 'problem' in parsed ? parsed.problem.code : sketch(parsed.pieces, source);
}
function sketch(pieces: Sequence, source: string): string {
  return pieces.map((piece) => sketchOf(piece, source)).join(' ');
}
function sketchOf(piece: Piece, source: string): string {
  switch (piece.kind) {
    case 'literal':
      return JSON.stringify(piece.char);
    case 'class':
      return `<${source.slice(piece.from, piece.to)}>`;
    case 'edge':
      return `@${source.slice(piece.from, piece.to)}`;
    case 'repeat':
      return `${sketchOf(piece.body, source)}{${piece.max}}`;
    case 'group':
      return `(${piece.branches.map((branch) => sketch(branch, source)).join(' | ')})`;
  }
}

describe('parseRegex', () => {
  it.each([
    ['^a$', '"a"'],
    ['^ab$', '"a" "b"'],
    ['^😀$', '"😀"'],
    ['^a.b$', '"a" <.> "b"'],
    ['^a*b+c?$', '"a"{Infinity} "b"{Infinity} "c"{1}'],
    ['^a*?b+?c??$', '"a"{Infinity} "b"{Infinity} "c"{1}'],
    ['^a{3}b{3,}c{3,5}d{0}e{0,1}$', '"a"{3} "b"{Infinity} "c"{5} "d"{0} "e"{1}'],
    ['^a{3}?b{3,}?c{3,5}?$', '"a"{3} "b"{Infinity} "c"{5}'],
    ['^a{,3}$', '"a" "{" "," "3" "}"'],
    ['^a{b}$', '"a" "{" "b" "}"'],
    ['^a{01}$', '"a" "{" "0" "1" "}"'],
    ['^a{1$', '"a" "{" "1"'],
    ['^{"a":1}$', '"{" "\\"" "a" "\\"" ":" "1" "}"'],
    ['^]}$', '"]" "}"'],
    ['^(a|b)$', '("a" | "b")'],
    ['^(?:a|bc|)$', '("a" | "b" "c" | )'],
    ['^((a)(b|(c)))$', '(("a") ("b" | ("c")))'],
    ['^(a)*$', '("a"){Infinity}'],
    ['^()$', '()'],
    ['^\\.\\*\\\\\\"\\/\\_\\ \\-\\~$', '"." "*" "\\\\" "\\"" "/" "_" " " "-" "~"'],
    ['^\\$$', '"$"'],
    ['^\\^$', '"^"'],
    ['^\\n\\t\\r\\f\\v\\a$', '"\\n" "\\t" "\\r" "\\f" "\\u000b" "\\u0007"'],
    ['^\\x22\\x{22}\\x{1F600}\\x5C$', '"\\"" "\\"" "😀" "\\\\"'],
    ['^\\d\\D\\s\\S\\w\\W$', '<\\d> <\\D> <\\s> <\\S> <\\w> <\\W>'],
    [
      '^\\pL\\PL\\p{Greek}\\P{Greek}\\p{^Greek}\\p{Lu}$',
      '<\\pL> <\\PL> <\\p{Greek}> <\\P{Greek}> <\\p{^Greek}> <\\p{Lu}>',
    ],
    ['^\\ba\\B$', '@\\b "a" @\\B'],
    ['^[a-z][^a-z]$', '<[a-z]> <[^a-z]>'],
    ['^[a\\]b][^\\]]$', '<[a\\]b]> <[^\\]]>'],
    ['^[]a][^]a]$', '<[]a]> <[^]a]>'],
    ['^[[a]b$', '<[[a]> "b"'],
    ['^[[:alpha:]x][[:^digit:]]$', '<[[:alpha:]x]> <[[:^digit:]]>'],
    ['^[\\\\]a$', '<[\\\\]> "a"'],
    ['^[\\p{Greek}\\x{41}]$', '<[\\p{Greek}\\x{41}]>'],
    ['^[(|)*+?.^$.{}]$', '<[(|)*+?.^$.{}]>'],
    ['^[\n]$', '<[\n]>'],
    ['^[😀]+$', '<[😀]>{Infinity}'],
    ['^a\n$', '"a" "\\n"'],
  ])('reads %j as %s', (source, expected) => {
    expect(outline(source)).toBe(expected);
  });

  it.each([
    ['', 'empty_pattern'],
    ['^', 'empty_pattern'],
    ['$', 'empty_pattern'],
    ['^$', 'empty_pattern'],
    ['a', 'unanchored'],
    ['^a', 'unanchored'],
    ['a$', 'unanchored'],
    ['^a\\$', 'unanchored'],
    ['\\^a$', 'unanchored'],
    ['^a|b$', 'unanchored'],
    ['a|^b$', 'unanchored'],
    ['^a$|^b$', 'unanchored'],
    ['^a$|b', 'unanchored'],
    ['|^a$', 'unanchored'],
    ['^|$', 'unanchored'],
    ['|', 'unanchored'],
    ['|a', 'unanchored'],
    ['(^a$)', 'unanchored'],
    ['(?:^a)$', 'unanchored'],
    ['^(?:a$)', 'unanchored'],
    ['^^a$', 'unanchored'],
    ['^a$$', 'unanchored'],
    ['^a^b$', 'unanchored'],
    ['^a$b$', 'unanchored'],
    ['[^]a$', 'unanchored'],
    ['^[a$]', 'unanchored'],
    ['\\ba$', 'unanchored'],
    ['^a\\b', 'unanchored'],
    ['^a(?=b)$', 'look_around'],
    ['^a(?!b)$', 'look_around'],
    ['^(?<=a)b$', 'look_around'],
    ['^(?<!a)b$', 'look_around'],
    ['^(a)\\1$', 'back_reference'],
    ['^(a)\\9$', 'back_reference'],
    ['^\\12$', 'back_reference'],
    ['^(?<n>a)\\k<n>$', 'inline_flags'],
    ['^a\\k<n>$', 'back_reference'],
    ['^(?P=n)$', 'back_reference'],
    ['^(?P<n>a)$', 'inline_flags'],
    ['^(?P>n)$', 'inline_flags'],
    ['^(?<n>a)$', 'inline_flags'],
    ['^(?i)a$', 'inline_flags'],
    ['^(?i:a)$', 'inline_flags'],
    ['^(?s-m:a)$', 'inline_flags'],
    ['(?i)^a$', 'inline_flags'],
    ['^(?#c)a$', 'inline_flags'],
    ['^(?>a)$', 'inline_flags'],
    ['^(a$', 'invalid_regex'],
    ['^(a', 'invalid_regex'],
    ['^(a|b', 'invalid_regex'],
    ['^(?', 'invalid_regex'],
    ['^a)$', 'invalid_regex'],
    ['^a)b$', 'invalid_regex'],
    ['^[a$', 'invalid_regex'],
    ['^[b-a]$', 'invalid_regex'],
    ['^[[:nope:]]$', 'invalid_regex'],
    ['^[[:alpha:]$', 'invalid_regex'],
    ['^\\p{Nope}$', 'invalid_regex'],
    ['^\\p{Greek$', 'invalid_regex'],
    ['^\\pl$', 'invalid_regex'],
    ['^\\x{110000}$', 'invalid_regex'],
    ['^\\x{}$', 'invalid_regex'],
    ['^\\x4$', 'invalid_regex'],
    ['^*a$', 'invalid_regex'],
    ['^+$', 'invalid_regex'],
    ['^{2}a$', 'invalid_regex'],
    ['^\\b*a$', 'invalid_regex'],
    ['^a$*', 'unanchored'],
    ['^a**$', 'invalid_regex'],
    ['^a*+$', 'invalid_regex'],
    ['^a{2}{3}$', 'invalid_regex'],
    ['^(*a)$', 'invalid_regex'],
    ['^(a|*b)$', 'invalid_regex'],
    ['^({2}a)$', 'invalid_regex'],
    ['^(a|{2})$', 'invalid_regex'],
    ['^a*{2}$', 'invalid_regex'],
    ['^a{1001}$', 'invalid_regex'],
    ['^a{5,3}$', 'invalid_regex'],
    ['^((a{100}){100}){100}$', 'invalid_regex'],
    ['^\\Aa$', 'invalid_regex'],
    ['^a\\z$', 'invalid_regex'],
    ['^\\Qa\\E$', 'invalid_regex'],
    ['^\\C$', 'invalid_regex'],
    ['^\\u0041$', 'invalid_regex'],
    ['^\\0$', 'invalid_regex'],
    ['^\\8$', 'back_reference'],
    ['^\\é$', 'invalid_regex'],
    ['^a\\', 'invalid_regex'],
    ['^\ud800$', 'invalid_regex'],
  ])('refuses %j: %s', (source, code) => {
    expect(codeOf(source)).toBe(code);
  });

  it('says what is wrong in words, and what to do about it', () => {
    const say = (source: string) => {
      const { message = '', suggestion = '' } = problemOf(source) ?? {};
      return [message, suggestion];
    };
    expect(say('')).toEqual([
      'The pattern is empty.',
      'Write between `^` and `$` what the value may be, or use `equals` for an empty one.',
    ]);
    expect(say('a'.repeat(513))).toEqual([
      'The pattern has more than 512 characters.',
      'Make several rules, or use `equals` for a long value.',
    ]);
    expect(say('^(?=a)$')).toEqual([
      'The pattern looks ahead or behind (`(?=`, `(?!`, `(?<=`, `(?<!`), which RE2 cannot do.',
      'Say what the text is, not what stands beside it; to take something away, add a rule that denies.',
    ]);
    expect(say('^\\1$')).toEqual([
      'The pattern refers back to a group (`\\1`, `\\k<name>`), which RE2 cannot do.',
      'Write out what the group may be a second time.',
    ]);
    expect(say('^(?i)a$')).toEqual([
      'The pattern sets flags or names a group (`(?i)`, `(?s:`, `(?<name>`).',
      'Group with `(?:…)`, and write both cases out as in `[Aa]`.',
    ]);
    expect(say('a')).toEqual([
      'The pattern must begin with `^` and end with `$`, for the whole of it and nowhere else.',
      'Put everything between `^(?:` and `)$`.',
    ]);
    const invalid = 'The pattern is not a regular expression that Bowline takes.';
    const syntax = 'See the syntax of RE2; a backslash makes a special character mean itself.';
    expect(say('^a)$')).toEqual([`${invalid} A \`)\` closes nothing.`, syntax]);
    expect(say('^(a')).toEqual([`${invalid} A \`(\` is never closed.`, syntax]);
    expect(say('^x**$')).toEqual([`${invalid} It is not clear at \`*$\`.`, syntax]);
    expect(say('^*$')).toEqual([`${invalid} A repetition repeats nothing.`, syntax]);
    expect(say('^\\b*$')).toEqual([`${invalid} A repetition repeats nothing.`, syntax]);
    expect(say('^ab\\Qcdefghijklm$')).toEqual([`${invalid} It is not clear at \`\\Qcdefghij\`.`, syntax]);
    expect(say('^\ud800$')).toEqual([`${invalid} It holds half of a surrogate pair.`, syntax]);
    expect(say('^[b-a]$')).toEqual([
      `${invalid} RE2 says: error parsing regexp: invalid character class range: \`b-a\`.`,
      syntax,
    ]);
  });

  it(`takes ${MAX_REGEX_CHARS} characters and not one more`, () => {
    expect(MAX_REGEX_CHARS).toBe(512);
    expect(codeOf(`^${'a'.repeat(510)}$`)).toBeUndefined();
    expect(codeOf(`^${'a'.repeat(511)}$`)).toBe('pattern_too_long');
    expect(codeOf(`^${'('.repeat(255)}${')'.repeat(255)}$`)).toBeUndefined();
    expect(codeOf(`^${'('.repeat(511)}`)).toBe('invalid_regex');
  });

  it('knows where each piece stands', () => {
    const parsed = parseRegex('^a(?:b|\\.)c{2,3}?[x]\\b$');
    const spans = 'pieces' in parsed ? parsed.pieces.map(({ from, to }) => [from, to]) : [];
    expect(spans).toEqual([
      [1, 2],
      [2, 10],
      [10, 17],
      [17, 20],
      [20, 22],
    ]);
  });
});
