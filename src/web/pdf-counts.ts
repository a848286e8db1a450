/**
 * The limit for loops over numbers that a PDF only names. A few bytes can name two thousand million glyphs,
 * and no timer fires during the library's loop.
 */
const MAX_COUNTED = 20_000_000;
/**
 * A letter written as its code. Names may hold such codes but never need them, so this one hides something.
 */
const SPELT_LETTER = /\/[^\s/<>[\]()]{0,100}#(?:4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])/i;
/**
 * A table of objects whose entries take no bytes, so that it can claim any number of them; or one that gives
 * its numbers elsewhere.
 */
const ENTRIES_OF_NOTHING = /\/(?:W|Index|Size)\s*(?:\[[\s0+.-]*\]|\d+\s+\d+\s+R)/;
/** Arrays of places and sizes, which nobody counts through. */
const HARMLESS = /\/(?:ByteRange|H|XUID|ID|Rect|BBox|[A-Z][a-z]+Box|Matrix|Prev|Length)\s*$/;
const ARRAY = /\[([^[\]()<>]{3,})/g;
const NUMBER = /[+-]?\d[\d.eE+-]*|[A-Za-z]+/g;
const RANGES = /begin(?:bf|cid|notdef|codespace)range([\s\S]*?)(?:end(?:bf|cid|notdef|codespace)range|$)/g;
const RANGE = /<([\da-f\s]*)>\s*<([\da-f\s]*)>/gi;

/** Tells whether the text before a part of a PDF makes a reader count through entries of no size. */
export function headMisleads(head: string): boolean {
  return SPELT_LETTER.test(head) || (!/\/Subtype/.test(head) && ENTRIES_OF_NOTHING.test(head));
}

/** Counts how far a reader would go through all spans of numbers in a text of a PDF. */
export function countedIn(text: string): number {
  let counted = 0;
  for (const match of text.matchAll(ARRAY)) {
    if (HARMLESS.test(text.slice(Math.max(0, match.index - 20), match.index))) continue;
    let last = Number.NaN;
    for (const [token] of (match[1] ?? '').matchAll(NUMBER)) {
      const number = Number(token);
      if (number > last) counted += number - last;
      last = number;
    }
    if (counted > MAX_COUNTED) return counted;
  }
  for (const [, section = ''] of text.matchAll(RANGES)) {
    // A range may also be written in letters, which no honest file does.
    if (section.includes('(')) return Number.POSITIVE_INFINITY;
    for (const [, low = '', high = ''] of section.matchAll(RANGE)) {
      counted += Math.max(0, codeOf(high) - codeOf(low));
    }
    if (counted > MAX_COUNTED) return counted;
  }
  return counted;
}

export function countsTooFar(counted: number): boolean {
  return counted > MAX_COUNTED;
}

function codeOf(hex: string): number {
  const digits = hex.replace(/\s+/g, '');
  return digits === '' ? 0 : Number.parseInt(digits, 16);
}
