import assert from 'node:assert/strict';
import fc from 'fast-check';
import { canonicalJson, JsonRefused, parseStrictJson } from '../../../src/core/json.ts';
import { checkRule } from '../../../src/gate/rules/rule-check.ts';
import { matchesWhole } from '../../../src/gate/rules/rule-pattern.ts';
import { MAX_REGEX_CHARS, parseRegex } from '../../../src/gate/rules/rule-regex.ts';
import { good, NOW } from '../../support/rules.ts';
import { texts } from '../inputs.ts';
import { type Target, target } from '../target.ts';

const REGEX = [
  ...[
    '^',
    '$',
    '.',
    '*',
    '+',
    '?',
    '|',
    '(',
    ')',
    '(?:',
    '[',
    ']',
    '[^',
    '{2}',
    '{1,3}',
    '{0,}',
    '\\d',
    '\\w',
    '\\.',
    '\\',
    '\\x41',
  ],
  ...[
    '(?i)',
    '(?=a)',
    '(?<!b)',
    '\\1',
    '\\b',
    'a',
    'b',
    '-',
    '[[:alpha:]]',
    '\\pL',
    '"',
    '[^"\\\\]*',
    '.*',
    '{"path":"',
    '"}',
    ',"',
    '\\Q',
    '\\E',
  ],
];

const regex = target({
  name: 'regex',
  seeds: ['^docs/[^/]*$\0docs/a', '^(?:a|b)+c{2,3}$\0abcc', '^[a-z0-9_.-]{1,20}$\0x.y', '^\\d+\\.\\d$\0 1.2'],
  grammar: fc
    .tuple(texts(REGEX), texts(['a', 'b', '/', '.', '0', 'A', '"', '-', ' '], 6))
    .map(([pattern, text]) => `^${pattern}$\0${text}`),
  words: REGEX,
  parse: (input) => {
    const [source = '', text = ''] = input.split('\0');
    return { source, text, parsed: parseRegex(source) };
  },
  properties: {
    'a pattern that is taken is short, and bound at both ends': ({ source, parsed }) => {
      if ('problem' in parsed) return;
      assert.ok(source.length <= MAX_REGEX_CHARS && source.startsWith('^') && source.endsWith('$'));
    },
    'it matches what it matches elsewhere': ({ source, text, parsed }) => {
      // Where both engines speak of the same characters.
      if (
        'problem' in parsed ||
        !/^[ -~]*$/.test(text) ||
        /\[:|\\[apPQEzAC]|\\x\{|\\s|\\S|\\v|[{,]0\d/.test(source)
      )
        return;
      const same = compiled(source);
      if (same) assert.equal(matchesWhole(source, text, 'allow'), same.test(text));
    },
  },
});

function compiled(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u');
  } catch {
    return undefined;
  }
}

const JSONS = [
  '{"path":"a"}',
  '{"path":"a","root":"b"}',
  '{"path":"x\\"y","n":1}',
  '{"a":{"b":["c",2]},"d":true}',
  '{}',
  '{"a":"","b":""}',
];

const jsonRegex = target({
  name: 'rule-json-regex',
  seeds: [
    '^\\{"path":"[^"\\\\]*"\\}$\0{"path":"a"}',
    '^\\{"n":[0-9]+,"path":"docs/[a-z]+"\\}$\0{"n":1,"path":"docs/a"}',
    '^\\{"a":(?:true|false)(?:,"b":"[^"\\\\]*")?\\}$\0{"a":true,"b":"c"}',
  ],
  grammar: fc
    .tuple(texts([...REGEX, '\\{"path":"', '":"', '[^"\\\\]', '\\}'], 8), fc.constantFrom(...JSONS))
    .map(([pattern, text]) => `^${pattern}$\0${text}`),
  words: [...REGEX, ...JSONS, '\0'],
  refuses: [JsonRefused],
  parse: (input) => {
    const [source = '', text = ''] = input.split('\0');
    const checked = checkRule(
      { ...good, match: { kind: 'json', regex: source }, examples: { must: [], mustNot: [] } },
      { toolExists: () => true, isTerminal: () => false, now: NOW },
    );
    const isSaved = checked.ok || checked.problems.every(({ code }) => /example/.test(code));
    return { source, isSaved, value: parseStrictJson(text) };
  },
  properties: {
    'every key of what it allows is written out in it': ({ source, isSaved, value }) => {
      if (!isSaved || !matchesWhole(source, canonicalJson(value), 'allow')) return;
      const plain = source.replace(/\\(\W)/g, '$1');
      for (const key of keysOf(value)) assert.ok(plain.includes(`${JSON.stringify(key)}:`), key);
    },
  },
});

function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysOf)];
}

export const regexes: readonly Target[] = [regex, jsonRegex];
