import canonicalize from 'canonicalize';

/**
 * Deeper than any honest argument. The limit holds for a tool's arguments, not for the envelope around them.
 */
export const MAX_DEPTH = 32;

/**
 * More values than any honest call has. The short ones cost most: four megabytes of empty objects take a quarter of a
 * second to parse, and a hundred times as long as a text of that length.
 */
export const MAX_VALUES = 100_000;

/** The reason why a JSON text was refused, in words for its author. */
export class JsonRefused extends Error {
  override name = 'JsonRefused';
}

/**
 * Parses JSON that means the same to every reader. Besides what `JSON.parse` refuses, it refuses duplicate
 * keys, lone surrogates, integers that a double cannot hold, deep nesting, and more than `MAX_VALUES` values. Two
 * parsers could read such a text as two different calls, or take long to read it.
 */
export function parseStrictJson(text: string, maxDepth = MAX_DEPTH, maxValues = MAX_VALUES): unknown {
  // Check before parsing: `JSON.parse` recurses, and hostile depth must not reach it.
  refuseMuchStructure(text, maxDepth, maxValues);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new JsonRefused('This is not valid JSON.');
  }
  if (!text.isWellFormed() || /\\u[dD][89a-fA-F]/.test(text)) refuseLoneSurrogates(value);
  refuseAmbiguity(text);
  return value;
}

/** Writes a value in its one spelling (RFC 8785), to hash it or store it. */
export function canonicalJson(value: unknown): string {
  let text: string | undefined;
  try {
    text = canonicalize(value);
  } catch (cause) {
    throw new JsonRefused('This value has no JSON form.', { cause });
  }
  if (text === undefined) throw new JsonRefused('This value has no JSON form.');
  return text;
}

function refuseMuchStructure(text: string, maxDepth: number, maxValues: number): void {
  let depth = 0;
  let values = 1;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === QUOTE) i = endOfString(text, i) - 1;
    else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      if (++depth > maxDepth) throw new JsonRefused(`The JSON is nested more than ${maxDepth} deep.`);
      // As if it had something in it.
      values++;
    } else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) depth--;
    else if (char === COMMA) values++;
    if (values > maxValues)
      throw new JsonRefused(`The JSON has more than ${maxValues} values; send less at once, or as text.`);
  }
}

function refuseLoneSurrogates(value: unknown): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new JsonRefused('A string holds half of a surrogate pair.');
  } else if (Array.isArray(value)) {
    for (const item of value) refuseLoneSurrogates(item);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      refuseLoneSurrogates(key);
      refuseLoneSurrogates(item);
    }
  }
}

/** Walks once over valid JSON and refuses what parsing would lose without a word. */
function refuseAmbiguity(text: string): void {
  // The keys of each open object; `undefined` for an array.
  const open: (Set<string> | undefined)[] = [];
  let i = 0;
  while (i < text.length) {
    const char = text.charCodeAt(i);
    if (char === QUOTE) {
      const end = endOfString(text, i);
      const keys = open.at(-1);
      if (keys && isKey(text, end)) addKey(keys, text.slice(i, end));
      i = end;
      continue;
    }
    if (char === OPEN_BRACE) open.push(new Set());
    else if (char === OPEN_BRACKET) open.push(undefined);
    else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) open.pop();
    else if (char === MINUS || (char >= ZERO && char <= NINE)) {
      i = checkNumber(text, i);
      continue;
    }
    i++;
  }
}

/** Gives the place after a string that begins with the quote at `start`; the end of the text if it never ends. */
function endOfString(text: string, start: number): number {
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return text.length;
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}

function isKey(text: string, end: number): boolean {
  let i = end;
  while (text.charCodeAt(i) <= SPACE) i++;
  return text.charCodeAt(i) === COLON;
}

function addKey(keys: Set<string>, literal: string): void {
  // `"a"` and `"\u0061"` are the same key.
  const key = literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1);
  if (keys.has(key)) throw new JsonRefused(`The key ${JSON.stringify(key)} occurs twice in one object.`);
  keys.add(key);
}

function checkNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && NUMBER_CHARS.has(text.charCodeAt(end))) end++;
  const literal = text.slice(start, end);
  const value = Number(literal);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    throw new JsonRefused(
      `The number ${literal.slice(0, 40)} is too large to be exact; send it as a string.`,
    );
  }
  return end;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;
const SPACE = 0x20;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const NUMBER_CHARS = new Set([...'0123456789+-.eE'].map((char) => char.charCodeAt(0)));
