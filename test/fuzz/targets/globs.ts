import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Glob, parseGlob } from '../../../local-bridge/tools/search/glob.ts';
import { texts } from '../inputs.ts';
import { type Target, target } from '../target.ts';

const WORDS = [
  '*',
  '**',
  '?',
  '[a-z]',
  '[!a]',
  '[^😀]',
  '[]]',
  '{a,b}',
  '{',
  '}',
  ',',
  '/',
  '\\',
  '**/',
  '/**',
  '.',
  'a',
  'b',
  '😀',
  '[',
  ']',
  '-',
];
const PATHS = ['a', 'b', 'ab', '/', '.ts', '😀', '\n', 'a/b', '.', '-', '!', 'src/', 'é'];

/** The same pattern as a regular expression, made the plain way. */
function regexOf(pattern: string): RegExp {
  const bare = pattern.replace(/^(?:\.\/+)+/, '');
  const alternatives = bracesOut(bare).map((one) => {
    const parts = splitPath(one.includes('/') ? one : `**/${one}`);
    return partsToRegex(parts);
  });
  return new RegExp(`^(?:${alternatives.join('|')})$`, 'su');
}

function partsToRegex(parts: readonly string[]): string {
  // Two in a row say what one says.
  const kept = parts.filter((part, i) => part !== '**' || parts[i - 1] !== '**');
  return kept
    .map((part, i) => {
      const isLast = i === kept.length - 1;
      if (part === '**') return isLast ? '[^\\0]+' : '(?:[^/]*/)*';
      return nameRegex(part) + (isLast ? '' : '/');
    })
    .join('');
}

function nameRegex(part: string): string {
  return part.replace(
    /\\([\s\S])|\[([!^]?)(\]?[^\]]*)\]|\*+|\?|([\s\S])/gu,
    (_, escaped, not, inside, plain) => {
      if (escaped !== undefined) return literal(escaped);
      if (inside !== undefined) return `(?!/)[${not ? '^' : ''}${classOf(inside)}]`;
      if (plain !== undefined) return literal(plain);
      return _ === '?' ? '[^/]' : '[^/]*';
    },
  );
}

const literal = (char: string) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;

function classOf(inside: string): string {
  const chars = [...inside];
  let out = '';
  for (let i = 0; i < chars.length; i++) {
    const [char = '', dash, end] = chars.slice(i, i + 3);
    if (dash === '-' && end !== undefined) {
      out += `${literal(char)}-${literal(end)}`;
      i += 2;
    } else out += literal(char);
  }
  return out;
}

/** The pieces of a pattern that stand alone: an escape, a class, or one character. */
const pieces = (text: string): readonly string[] => text.match(/\\[\s\S]|\[[!^]?\]?[^\]]*\]|[\s\S]/gu) ?? [];

function splitPath(pattern: string): string[] {
  const parts = [''];
  for (const piece of pieces(pattern)) {
    if (piece === '/') parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}

function bracesOut(pattern: string): string[] {
  const all = pieces(pattern);
  const open = all.indexOf('{');
  if (open < 0) return [pattern];
  const parts: string[][] = [[]];
  let depth = 1;
  let at = open + 1;
  for (; depth > 0; at++) {
    const piece = all[at];
    if (piece === undefined) throw new Error('A brace has no end.');
    if (piece === '{') depth++;
    if (piece === '}') depth--;
    if (depth === 0) continue;
    if (piece === ',' && depth === 1) parts.push([]);
    else parts.at(-1)?.push(piece);
  }
  const [before, after] = [all.slice(0, open).join(''), all.slice(at).join('')];
  return parts.flatMap((part) => bracesOut(before + part.join('') + after));
}

/** Whether one of these patterns of names, of `*` and plain characters, fits. */
const fitsName = (patterns: readonly string[], name: string) =>
  patterns.some((pattern) =>
    new RegExp(`^${pattern.replace(/[\\^$.+?()[\]{}|-]/g, '\\$&').replaceAll('*', '[^]*')}$`).test(name),
  );

export const glob: Target = target<{ glob: Glob; pattern: string; path: string } | undefined>({
  name: 'glob',
  seeds: [
    '*.ts\0src/a.ts',
    '**/{a,b}/*.m[dt]\0x/a/y.md',
    'src/**\0src/a/b',
    '\\*?\0*a',
    '[!a-c]x\0dx',
    '**/a/**/b\0a/b',
    './a\0a',
  ],
  grammar: fc
    .tuple(texts(WORDS, 8), texts(PATHS, 6))
    .map((parts) => parts.map((part) => part.replaceAll('\0', '')).join('\0')),
  words: WORDS,
  parse: (input) => {
    const [pattern = '', path = ''] = input.split('\0');
    const parsed = parseGlob(pattern);
    return 'wrong' in parsed ? undefined : { glob: parsed, pattern, path };
  },
  properties: {
    'it matches what the same regular expression matches': (parsed) => {
      if (!parsed || !isPath(parsed.path) || !parsed.pattern.isWellFormed()) return;
      assert.equal(parsed.glob.matches(parsed.path), regexOf(parsed.pattern).test(parsed.path));
    },
    'every match fits one of the names that narrow the search': (parsed) => {
      if (!parsed?.glob.names || !isPath(parsed.path) || !parsed.glob.matches(parsed.path)) return;
      assert.ok(fitsName(parsed.glob.names, parsed.path.split('/').at(-1) ?? ''));
    },
  },
});

const isPath = (path: string) => path.isWellFormed() && path.split('/').every((name) => name !== '');
