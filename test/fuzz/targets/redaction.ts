import assert from 'node:assert/strict';
import { plainText, safe } from '../../../local-bridge/tools/terminal/clean-text.ts';
import { redact, redactValue } from '../../../src/core/redact.ts';
import { secretsIn } from '../../../src/core/secret-scan.ts';
import { cleaned, hasUnseen, visible } from '../../../src/core/visible.ts';
import { texts, utf8 } from '../inputs.ts';
import { type Target, target } from '../target.ts';

// Put together here, so that nobody who scans the repo takes them for real.
const letters = 'Ab3'.repeat(20);
const SECRETS = [
  `AKIA${'Q7'.repeat(8)}`,
  `ghp_${letters.slice(0, 36)}`,
  `sk-ant-${letters.slice(0, 40)}`,
  `glpat-${letters.slice(0, 20)}`,
  `npm_${letters.slice(0, 36)}`,
  `bwl_pat_${letters.slice(0, 43)}`,
  `AIza${letters.slice(0, 35)}`,
];
const LABELS = [
  ...[
    'password=',
    'token: ',
    'Bearer ',
    'https://u:',
    '@host',
    'Cookie: a=',
    '-----BEGIN PRIVATE KEY-----',
    '-----END PRIVATE KEY-----',
  ],
  ...['secret = "', 'api_key:', 'eyJ', '.eyJ', 'login a password ', '[redacted:', ']', '"', "'", '\n', '; '],
];

const redaction = target({
  name: 'redaction',
  isBinary: true,
  seeds: [
    utf8('a password=hunter22 b'),
    utf8('Authorization: Bearer abcdefghijklmnop'),
    utf8('plain text'),
    utf8('https://u:pa55word@h/'),
  ],
  grammar: texts([...LABELS, ...SECRETS], 10).map(utf8),
  words: [...LABELS, ...SECRETS],
  parse: (input) => redact(text(input)),
  properties: {
    'what was redacted has nothing left to redact': (clean) => {
      // In a longer row the last ones are hidden by those before them.
      if (!/(?:\[redacted:[\w-]+\]){7}/.test(clean)) assert.equal(redact(clean), clean);
    },
    'a secret that stands by itself does not get through': (_, input) => {
      for (const secret of SECRETS) {
        // One that is part of a longer word is not one.
        if (text(input).includes(secret)) continue;
        for (const around of [
          `${text(input)} ${secret} `,
          ` ${secret} ${text(input)}`,
          `${text(input)}\n${secret}\n${text(input)}`,
        ]) {
          assert.ok(!redact(around).includes(secret), secret);
          assert.ok(!JSON.stringify(redactValue({ a: [{ b: around }] })).includes(secret), secret);
        }
      }
    },
    'a value under a telling key never gets through': (_, input) => {
      const value = { api_key: `v${text(input)}`, a: { token: [`v${text(input)}`] } };
      assert.deepEqual(redactValue(value), {
        api_key: '[redacted:secret]',
        a: { token: ['[redacted:secret]'] },
      });
    },
    'a secret in a file is found, and its line': (_, input) => {
      const before = input.slice(0, 500);
      // The first few are enough to stop a push, and no more are looked for.
      if (secretsIn('a', Buffer.from(before, 'latin1')).length > 0) return;
      const found = secretsIn('a', Buffer.from(`${before}\n ${SECRETS[0]} `, 'latin1'));
      const line = before.replaceAll('\0', '').split('\n').length + 1;
      assert.ok(
        found.some((place) => place.line === line),
        JSON.stringify(found),
      );
    },
  },
});

const text = (input: string) => Buffer.from(input, 'latin1').toString('utf8');

const ODD = [
  '\u001b[31m',
  '\u001b]0;t\u0007',
  '\r',
  '\b',
  '\u202e',
  '\u200b',
  '\ufeff',
  '\u2028',
  '\0',
  '\u{e0041}',
  '\u009b',
  'a',
  '\n',
  '\t',
  '\u001bP',
  '\u001b\\',
  'ﬀ',
];

const shown = target({
  name: 'shown-text',
  seeds: ['plain', '\u001b[1mbold\u001b[0m', 'a\u202eb', 'progress 1%\rprogress 2%\n'],
  grammar: texts(ODD, 20),
  words: ODD,
  parse: (input) => ({
    all: visible(input),
    some: visible(input, 10),
    terminal: plainText(input),
    foreign: cleaned(input, 30),
  }),
  properties: {
    'nothing that is shown is invisible or moves the cursor': ({ all, some, foreign }) => {
      for (const one of [all, some, foreign]) assert.ok(!hasUnseen(one), JSON.stringify(one));
      assert.ok(!hasUnseen(foreign));
    },
    'what a command printed has no escape left in it': ({ terminal }) => {
      assert.ok(!/(?![\t\n\r])\p{Cc}/u.test(terminal), JSON.stringify(terminal));
    },
    'it is as long as it may be': ({ some, foreign }) => {
      assert.ok(some.length <= 11 && foreign.length <= 30);
    },
    'cleaning what is clean changes nothing': ({ all, terminal, foreign }, input) => {
      if (!input.isWellFormed()) return;
      assert.equal(visible(all), all);
      assert.equal(plainText(terminal), terminal);
      assert.equal(cleaned(foreign, 30), foreign);
    },
    'it is well-formed if what came was': ({ all, some, terminal, foreign }, input) => {
      if (input.isWellFormed())
        for (const one of [all, some, terminal, foreign, safe(input)]) assert.ok(one.isWellFormed());
    },
  },
});

export const redactions: readonly Target[] = [redaction, shown];
