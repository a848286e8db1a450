import assert from 'node:assert/strict';
import fc from 'fast-check';
import { canonicalJson, JsonRefused, MAX_DEPTH, parseStrictJson } from '../../../src/core/json.ts';
import { BodyTooLarge, readBody } from '../../../src/http/body.ts';
import { plainJson } from '../../support/property.ts';
import { bytesIn, texts, utf8 } from '../inputs.ts';
import { type Target, target } from '../target.ts';

const WORDS = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"a":1',
    '"\\u0061":2',
    '"__proto__":{}',
    '"\\ud800"',
    '"\\udc00"',
  ],
  ...[
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '1.5',
    '-0',
    '1E5',
    '1e-400',
    'null',
    'true',
    '"\\""',
  ],
  ...['\t', '\r\n', '\ufeff', '\u2028', '"\\/"', '"/"', '\\u0000', '['.repeat(31), ']'.repeat(31)],
];
const SEEDS = [
  '{"a":[1,2.5,-3e2,{"b":null}],"c":"\\u00e9\\n","d":true}',
  '[[],{},"",0]',
  '{"a":{"a":1},"b":{"a":2}}',
  '"\\ud83d\\ude00"',
  '{"__proto__":1,"constructor":2}',
];

/** How deep a value is nested, found without looking at its text. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum: number, item) => sum + keysIn(item), own);
}

/** Outside of strings, a colon stands after a key and nowhere else. */
const colonsIn = (text: string) => text.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1;

/** What is wrong with a text that `JSON.parse` takes, found another way than by the parser. */
function ambiguityIn(text: string): string | undefined {
  const value: unknown = JSON.parse(text);
  if (depthOf(value) > MAX_DEPTH) return 'depth';
  if (keysIn(value) !== colonsIn(text)) return 'keys';
  // `JSON.stringify` writes halves of pairs, and nothing else above a control character, as escapes.
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(JSON.stringify(value))) return 'surrogate';
  for (const [number] of text.replace(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/-?\d[\d.eE+-]*/g)) {
    const read = Number(number);
    if (!Number.isFinite(read) || (Number.isInteger(read) && Math.abs(read) > Number.MAX_SAFE_INTEGER))
      return 'number';
  }
  return undefined;
}

const valid = plainJson.map((value) => JSON.stringify(value));

/** Objects whose keys and values have more than one spelling. */
const spelt = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        '"a"',
        '"\\u0061"',
        '"b"',
        '"\\u0062"',
        '"/"',
        '"\\/"',
        '"__proto__"',
        '"😀"',
        '"\\ud83d\\ude00"',
      ),
      fc.constantFrom('1', '-0', '1E400', '9007199254740993', '"\\udc00"', '"a"', '[1]', '{"a":2}', ' null '),
    ),
    { maxLength: 4 },
  )
  .map((members) => `{${members.map((member) => member.join(':')).join(',')}}`);

const json = target({
  name: 'json',
  seeds: SEEDS,
  grammar: fc.oneof(valid, spelt, texts(WORDS)),
  words: WORDS,
  refuses: [JsonRefused],
  parse: (input) => parseStrictJson(input),
  properties: {
    'what is taken means what it means to JSON.parse': (value, input) => {
      assert.deepEqual(value, JSON.parse(input));
    },
    'what is taken cannot mean two things': (_, input) => {
      assert.equal(ambiguityIn(input), undefined);
    },
  },
  refusals: {
    'what is refused is no JSON, or could mean two things': (_, input) => {
      let isJson = true;
      try {
        JSON.parse(input);
      } catch {
        isJson = false;
      }
      // Brackets of a text that is no JSON may be too deep first.
      if (isJson) assert.notEqual(ambiguityIn(input), undefined);
    },
  },
});

const canonical = target({
  name: 'canonical-json',
  seeds: SEEDS,
  grammar: fc.oneof(valid, spelt, texts(WORDS)),
  words: WORDS,
  refuses: [JsonRefused],
  parse: (input) => canonicalJson(parseStrictJson(input)),
  properties: {
    'its own form is its own form': (form) => {
      assert.equal(canonicalJson(parseStrictJson(form)), form);
    },
    'it says what was said': (form, input) => {
      // One zero is left of the two.
      assert.deepEqual(JSON.parse(form), JSON.parse(input, noMinusZero));
    },
    'keys stand in the order of their UTF-16 units': (form) => {
      JSON.parse(form, (_, item: unknown) => {
        if (typeof item === 'object' && item !== null && !Array.isArray(item)) inOrder(Object.keys(item));
        return item;
      });
    },
  },
});

const noMinusZero = (_: string, item: unknown) => (item === 0 ? 0 : item);

function inOrder(keys: readonly string[]): void {
  // Whole numbers come first in an object, whatever order its text has.
  const others = keys.filter((key) => !/^\d+$/.test(key));
  assert.deepEqual(
    others,
    [...others].sort((a, b) => (a < b ? -1 : 1)),
  );
}

const MAX_BODY = 200;

const body = target({
  name: 'json-body',
  isBinary: true,
  seeds: [`\x05${utf8(SEEDS[0] ?? '')}`, `\x01${utf8('"é😀"')}`, `\x00${utf8('\ufeff{}')}`],
  grammar: fc
    .tuple(fc.nat(255), fc.oneof(valid, texts(WORDS)))
    .map(([size, text]) => String.fromCharCode(size) + utf8(text)),
  words: WORDS.map(utf8),
  refuses: [JsonRefused, BodyTooLarge],
  parse: (input) => readBody(requestOf(input), MAX_BODY),
  properties: {
    'the text is that of all the bytes, however they come': (text, input) => {
      assert.equal(text, new TextDecoder('utf-8', { fatal: true }).decode(bytesIn(input.slice(1))));
    },
    'it is no longer than allowed': (_, input) => {
      assert.ok(input.length - 1 <= MAX_BODY);
    },
  },
  refusals: {
    'what is refused is too long or no UTF-8': (error, input) => {
      if (error instanceof BodyTooLarge) assert.ok(input.length - 1 > MAX_BODY);
      else assert.throws(() => new TextDecoder('utf-8', { fatal: true }).decode(bytesIn(input.slice(1))));
    },
  },
});

/** A request whose body comes in pieces as long as its first byte says. */
function requestOf(input: string): Request {
  const size = input.charCodeAt(0) || 1_000;
  const bytes = bytesIn(input.slice(1));
  let at = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
  return new Request('http://localhost', { method: 'POST', body: stream, duplex: 'half' } as RequestInit);
}

export const jsonTargets: readonly Target[] = [json, canonical, body];
