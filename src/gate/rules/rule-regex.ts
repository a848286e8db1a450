import { RE2JS } from 're2js';
import type { RuleProblem } from './rule.ts';
import { RegexRefused, refusal } from './rule-regex-refused.ts';

/** The place of a piece in the pattern. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** A piece that matches exactly one character. */
export interface Literal extends Span {
  readonly kind: 'literal';
  readonly char: string;
}

/** A piece that matches one of several characters: `.`, `[…]`, `\d`, `\pL`. */
export interface CharClass extends Span {
  readonly kind: 'class';
}

export interface Repeat extends Span {
  readonly kind: 'repeat';
  readonly body: Piece;
  readonly max: number;
}

export interface Group extends Span {
  readonly kind: 'group';
  readonly branches: readonly Sequence[];
}

/** A position without a character: `^`, `$`, `\b`, `\B`. */
export interface Edge extends Span {
  readonly kind: 'edge';
}

export type Piece = Literal | CharClass | Repeat | Group | Edge;
export type Sequence = readonly Piece[];

export const MAX_REGEX_CHARS = 512;

/**
 * Parses a pattern of the form `^…$` and gives what is between. Refuses what RE2 refuses, and also some
 * patterns that RE2 accepts, because a rule should say plainly what it matches.
 */
export function parseRegex(source: string): { pieces: Sequence } | { problem: RuleProblem } {
  try {
    if (/^\^?\$?$/.test(source)) throw refusal('empty_pattern');
    if (source.length > MAX_REGEX_CHARS) throw refusal('pattern_too_long');
    if (!source.isWellFormed()) throw refusal('invalid_regex', 'It holds half of a surrogate pair.');
    const pieces = anchored(source);
    compile(source);
    return { pieces };
  } catch (error) {
    if (error instanceof RegexRefused) return { problem: error.problem };
    throw error;
  }
}

/** Lets RE2 decide what is valid: ranges, names of classes, numbers of repetitions. */
function compile(source: string): void {
  try {
    RE2JS.compile(source);
  } catch (error) {
    throw refusal('invalid_regex', error instanceof Error ? `RE2 says: ${error.message}.` : undefined);
  }
}

interface Cursor {
  readonly source: string;
  at: number;
}

function anchored(source: string): Sequence {
  const cursor: Cursor = { source, at: 0 };
  // A `$` can stand only at the very end, so with a second branch the first one does not end in it.
  const [whole] = readBranches(cursor);
  if (cursor.at < source.length) throw refusal('invalid_regex', 'A `)` closes nothing.');
  const [first, last] = [whole[0], whole.at(-1)].map((piece) => piece && source[piece.from]);
  if (first !== '^' || last !== '$') throw refusal('unanchored');
  return whole.slice(1, -1);
}

function readBranches(cursor: Cursor): [Sequence, ...Sequence[]] {
  const branches: [Sequence, ...Sequence[]] = [readSequence(cursor)];
  while (cursor.source[cursor.at] === '|') {
    cursor.at++;
    branches.push(readSequence(cursor));
  }
  return branches;
}

function readSequence(cursor: Cursor): Sequence {
  const pieces: Piece[] = [];
  // At the end, `charAt` gives an empty text, and every text includes that.
  while (!'|)'.includes(cursor.source.charAt(cursor.at))) pieces.push(readPiece(cursor));
  return pieces;
}

/** A quantifier. A brace that is no quantifier is a plain brace, here as in RE2. */
const QUANTIFIER = /(?:[*+?]|\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\})\??/y;

function readPiece(cursor: Cursor): Piece {
  const from = cursor.at;
  const body = readAtom(cursor);
  const quantifier = take(cursor, QUANTIFIER);
  if (!quantifier) return body;
  // RE2 accepts `^*`, which means nothing.
  if (body.kind === 'edge') throw refusal('invalid_regex', 'A repetition repeats nothing.');
  return { kind: 'repeat', body, max: mostOf(quantifier), from, to: cursor.at };
}

function mostOf([text, least, comma, most]: RegExpExecArray): number {
  if (least === undefined) return text.startsWith('?') ? 1 : Number.POSITIVE_INFINITY;
  return comma === undefined ? Number(least) : Number(most ?? Number.POSITIVE_INFINITY);
}

/** Gives what the pattern matches at the cursor, and moves the cursor past it. */
function take(cursor: Cursor, sticky: RegExp): RegExpExecArray | null {
  sticky.lastIndex = cursor.at;
  const found = sticky.exec(cursor.source);
  if (found) cursor.at = sticky.lastIndex;
  return found;
}

const CLASS = /\.|\\[dDsSwW]|\\[pP](?:\{\^?\w+\}|[A-Z])|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]/suy;
const BOUNDARY = /\\[bB]/y;
const HEX = /\\x(?:\{[\da-fA-F]{1,6}\}|[\da-fA-F]{2})/y;
const CONTROL = /\\([afnrtv])/y;
const PUNCTUATION = /\\([ -/:-@[-`{-~])/y;
const PLAIN = /[^\\[()|.*+?^$]/uy;

function readAtom(cursor: Cursor): Piece {
  const from = cursor.at;
  const char = cursor.source.charAt(from);
  if (char === '(') return readGroup(cursor);
  if (char === '^' || char === '$') return readAnchor(cursor);
  if (take(cursor, CLASS)) return { kind: 'class', from, to: cursor.at };
  if (take(cursor, BOUNDARY)) return { kind: 'edge', from, to: cursor.at };
  const literal = readLiteral(cursor);
  if (literal !== undefined) return { kind: 'literal', char: literal, from, to: cursor.at };
  if (take(cursor, /\\[1-9k]/y)) throw refusal('back_reference');
  throw refusal('invalid_regex', `It is not clear at \`${cursor.source.slice(from, from + 10)}\`.`);
}

function readLiteral(cursor: Cursor): string | undefined {
  const hex = take(cursor, HEX);
  // RE2 refuses a number beyond Unicode.
  if (hex) return String.fromCodePoint(Math.min(Number.parseInt(hex[0].replace(/\W|x/g, ''), 16), 0x10ffff));
  const control = take(cursor, CONTROL)?.[1];
  if (control !== undefined) return CONTROLS[control];
  return (take(cursor, PUNCTUATION) ?? take(cursor, PLAIN))?.at(-1);
}

const CONTROLS: Readonly<Record<string, string>> = {
  a: '\u0007',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Reads an anchor. Allows it only at the two ends of the pattern, even where it would be harmless. */
function readAnchor(cursor: Cursor): Edge {
  const { source, at: from } = cursor;
  if (from !== (source[from] === '^' ? 0 : source.length - 1)) throw refusal('unanchored');
  cursor.at++;
  return { kind: 'edge', from, to: cursor.at };
}

function readGroup(cursor: Cursor): Group {
  const from = cursor.at;
  if (take(cursor, /\(\?<?[=!]/y)) throw refusal('look_around');
  if (take(cursor, /\(\?P=/y)) throw refusal('back_reference');
  if (take(cursor, /\(\?[^:]/y)) throw refusal('inline_flags');
  take(cursor, /\((?:\?:)?/y);
  const branches = readBranches(cursor);
  if (cursor.source[cursor.at] !== ')') throw refusal('invalid_regex', 'A `(` is never closed.');
  cursor.at++;
  return { kind: 'group', branches, from, to: cursor.at };
}
