import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';
import { describe, expect, it } from 'vitest';
import { AT_LENGTH } from '../support/at-length.ts';
import { type Attack, attacksOn, grownTo } from '../support/pattern-attacks.ts';
import { stepsOfSearch, TooManySteps } from '../support/pattern-steps.ts';
import { PROJECT } from '../support/up.ts';

const BYLINE = 'names() cuts its text to 1,000 characters.';
const TITLE = 'tidy() leaves one blank between words, and titles end after 2,000 characters.';
const NAMES = 'The names of an element are cut to 500 characters.';

/** Patterns whose work grows faster than their text, by how they begin, and why their text is short. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/web/media.ts': { '<!--[\\s\\S]*?-->': 'It reads the first bytes of a file alone.' },
  'src/web/pretty-json.ts': {
    '"(?:[^"\\\\]|\\\\.)*"': 'The text was parsed as JSON before, so every quote closes.',
  },
  'src/web/read/charset.ts': {
    '<meta\\b': 'Bounded, in the first 16 KB of a page.',
    '<\\?xml\\b': 'Bounded, in the first 16 KB of a page.',
  },
  'src/web/read/kind.ts': { 'docusaurus|sphinx': 'Values of metadata are cut to 2,000 characters.' },
  'src/web/read/phrases.ts': { '(?:\\((?:ap |file ': 'Captions have less than 320 characters.' },
  'src/web/read/select.ts': { '\\[[^\\]]*\\]': 'A selector has at most 500 characters.' },
  'src/web/read/shelf.ts': {
    '^(?:https?:)?': 'Longer texts than 2,000 characters are not looked at with it.',
  },
  'src/web/read/style.ts': {
    '(?:^|;)\\s*transform\\s*:[^;]*translate': 'Styles are cut to 3,000 characters.',
    '(?:^|;)\\s*opacity': 'Styles are cut to 3,000 characters.',
    '["\'\\\\{[]|\\/\\*|\\([^)]*;': 'Longer styles than 1,500 characters are not looked at with it.',
  },
  'src/web/read/tree.ts': { '\\S+--(?:true|false)': NAMES, '\\[[^\\]\\s]*\\]': NAMES },
  'src/web/read/meta/byline.ts': {
    '\\s*[|·•–—].*$': BYLINE,
    '\\s+(?:on|posted|published': BYLINE,
    ',?\\s+(?:staff writer': BYLINE,
    ',?\\s+(?:\\p{L}{3,9}': BYLINE,
    '\\S+@\\S+|https?:': BYLINE,
    '[\\s,;:|.●-]+$': BYLINE,
  },
  'src/web/read/meta/site-name.ts': {
    '\\s+[|\\-–—·•»«:/\\\\~]+\\s+': TITLE,
    '\\s*[|»·•]\\s*[^|»·•]*$': TITLE,
    '\\s*\\(\\d': TITLE,
    '\\s+(?:&|and) reviews$': TITLE,
    '\\s+\\|\\s+[^|]{1,30}$': TITLE,
  },
  'src/web/read/meta/title.ts': { '\\s*[¶#§🔗]\\s*$': 'Headings have less than 300 characters.' },
  'src/transcript/timed-text.ts': {
    '(?=<v(?:\\.': 'Lines above 1,000 characters are not searched for marks.',
    '^<v(?:\\.': 'Lines above 1,000 characters are not searched for marks.',
  },
  'src/mirror/index-text.ts': { '^#{1,2}[ \\t]+': 'It reads the first 4,096 characters of a file.' },
};

const FILES = globSync('{src,contracts,local-bridge}/**/*.{ts,tsx,mjs}', {
  cwd: PROJECT,
  exclude: (path) => /(?:^|\/)(?:node_modules|generated)(?:\/|$)/.test(path),
}).filter((path) => !path.endsWith('.d.ts'));

function isNode(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Every regular expression that stands in a syntax tree. */
function* patternsIn(node: unknown): Generator<RegExp> {
  if (!isNode(node)) return;
  const { regex } = node;
  if (node.type === 'Literal' && isNode(regex)) yield new RegExp(String(regex.pattern), String(regex.flags));
  for (const value of Object.values(node)) yield* patternsIn(value);
}

const SHORT = 150;
const TIMES = 4;
/** No pattern that is worth its name takes as many for so short a text. */
const MOST = 150_000;

function steps(pattern: RegExp, text: string): number {
  try {
    return stepsOfSearch(pattern, text, MOST);
  } catch (error) {
    if (error instanceof TooManySteps) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

/** A pattern with many repetitions has hundreds of attacks, most of them alike. */
const ATTACKS = AT_LENGTH ? Number.POSITIVE_INFINITY : 60;

/** Some of the texts against a pattern, from its beginning to its end. */
function someAttacksOn(pattern: RegExp): Attack[] {
  const all = attacksOn(pattern);
  const step = Math.max(1, all.length / ATTACKS);
  return all.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

/** Whether a text four times as long can be made to take far more than four times the steps. */
const growsTooFast = (pattern: RegExp): boolean =>
  someAttacksOn(pattern).some((attack) => {
    const long = steps(pattern, grownTo(SHORT * TIMES, attack));
    if (long > MOST) return true;
    return long > 5_000 && long > steps(pattern, grownTo(SHORT, attack)) * TIMES * 1.5;
  });

describe('a regular expression that stands in the code', () => {
  it('takes time that grows as its text does, or its text is short', () => {
    let count = 0;
    const slow: string[] = [];
    /** What was found of a pattern, by its text: some stand in many files. */
    const found = new Map<string, boolean>();
    for (const path of FILES) {
      const lang = path.endsWith('x') ? 'tsx' : path.endsWith('.mjs') ? 'js' : 'ts';
      for (const pattern of patternsIn(parseAst(readFileSync(join(PROJECT, path), 'utf8'), { lang }))) {
        count += 1;
        const known = Object.keys(ALLOWED[path] ?? {}).find((begin) => pattern.source.startsWith(begin));
        const isSlow = found.get(String(pattern)) ?? growsTooFast(pattern);
        found.set(String(pattern), isSlow);
        if (isSlow) slow.push(`${path} ${known ?? pattern.source}`);
      }
    }
    const allowed = Object.entries(ALLOWED).flatMap(([path, known]) =>
      Object.keys(known).map((begin) => `${path} ${begin}`),
    );
    expect(slow.toSorted()).toEqual(allowed.toSorted());
    expect(count).toBeGreaterThan(500);
  });

  it.each([/\s+$/, /(?:a+)+b/, /a*a*b/, /"(?:[^"\\]|\\.)*"/g, /<!--[\s\S]*?-->/g])(
    'is found to be slow: %s',
    (pattern) => {
      expect(growsTooFast(pattern)).toBe(true);
    },
  );

  it.each([/(?<!\s)\s+$/, /a+b/y, /^\s*"[^"]*"\s*$/, /[\w-]{1,64}@/g])(
    'is not found to be: %s',
    (pattern) => {
      expect(growsTooFast(pattern)).toBe(false);
    },
  );
});
