import { RE2JS } from 're2js';
import type { RuleProblem } from './rule.ts';
import { type CharClass, type Literal, type Piece, parseRegex, type Sequence } from './rule-regex.ts';

/**
 * Tells why a pattern over JSON could match other keys than it is written with. Gives `undefined` if it could
 * not. Such a pattern matches an argument that nobody thought of: `{"path":".*"}` also matches
 * `{"path":"a","root":"b"}`, and seven dots are enough for `","b":"`. So this reads the pattern like JSON.
 * Only a literal quote or backslash may match a quote or backslash, so that strings begin and end at the same
 * places in the pattern and in all that it matches. The same holds for a colon outside a string, and that may
 * follow only a string that is written out. Then every key of a matched text is a key of the pattern.
 */
export function jsonProblem(source: string, pieces: Sequence): RuleProblem | undefined {
  const faults = faultsOf(source, pieces);
  const [first] = faults;
  if (!first) return undefined;
  const { code, message, suggestion } = first;
  const better = mended(source, faults);
  return { code, message, suggestion: better === undefined ? suggestion : `Write \`${better}\`.` };
}

interface Fault {
  readonly code: 'crosses_quote' | 'open_structure';
  readonly message: string;
  readonly suggestion: string;
  /** The edit that corrects it, if that is simple. */
  readonly edit?: { readonly from: number; readonly to: number; readonly text: string };
}

interface Place {
  readonly inString: boolean;
  /** True if the place is inside something that may repeat any number of times. */
  readonly repeated: boolean;
  readonly source: string;
  readonly faults: Fault[];
}

const OPEN_STRING: Fault = {
  code: 'open_structure',
  message: 'A string that the pattern begins is not ended in every case, so what follows could be inside it.',
  suggestion: 'Write the two quotes of a string side by side, both inside a group or both outside.',
};

const OPEN_KEY: Fault = {
  code: 'open_structure',
  message: 'A key is not written out, so the pattern could match an argument nobody thought of.',
  suggestion: 'Write each key whole, with its quotes and its colon: `"path":`.',
};

const REPEATED_QUOTE: Fault = {
  code: 'crosses_quote',
  message: 'A repetition can match a quote or a backslash, and so go past the end of a string.',
  suggestion: 'Repeat only what is inside a string: `[^"\\\\]*` goes up to its end.',
};

function faultsOf(source: string, pieces: Sequence): Fault[] {
  const faults: Fault[] = [];
  const isOpen = walk(pieces, { inString: false, repeated: false, source, faults });
  return isOpen ? [...faults, OPEN_STRING] : faults;
}

/** Follows JSON's quotes through a sequence, and tells if a string is open after it. */
function walk(pieces: Sequence, place: Place): boolean {
  let { inString } = place;
  // True if everything since the last quote is written out. Such a string is a key if a colon follows.
  let isWritten = false;
  let isKey = false;
  let isEscaped = false;
  for (const [index, piece] of pieces.entries()) {
    if (isEscaped) {
      isEscaped = false;
      continue;
    }
    const wasKey = isKey;
    isKey = false;
    if (piece.kind !== 'literal') {
      isWritten = false;
      inString = walkInto(piece, { ...place, inString });
    } else if (piece.char === '"') {
      if (place.repeated) place.faults.push(REPEATED_QUOTE);
      isKey = inString && isWritten;
      isWritten = true;
      inString = !inString;
    } else if (piece.char === '\\') {
      isEscaped = true;
      if (place.repeated) place.faults.push(REPEATED_QUOTE);
      else if (!isEscape(pieces[index + 1])) place.faults.push(loneBackslash(piece));
    } else if (piece.char === ':' && !inString && !wasKey) place.faults.push(OPEN_KEY);
  }
  return inString;
}

function walkInto(piece: Exclude<Piece, Literal>, place: Place): boolean {
  switch (piece.kind) {
    case 'edge':
      return place.inString;
    case 'class':
      checkClass(piece, place);
      return place.inString;
    case 'repeat':
      return agreed([place.inString, walk([piece.body], repeatedly(place, piece.max))], place);
    case 'group':
      return agreed(
        piece.branches.map((way) => walk(way, place)),
        place,
      );
  }
}

/**
 * Demands that all branches agree on the end of the string. Otherwise nobody could tell what is inside it.
 */
function agreed(ends: readonly boolean[], { faults }: Place): boolean {
  const isOpen = ends.includes(true);
  if (isOpen && ends.includes(false)) faults.push(OPEN_STRING);
  return isOpen;
}

function repeatedly(place: Place, max: number): Place {
  return { ...place, repeated: place.repeated || max > 1 };
}

function checkClass({ from, to }: CharClass, { source, inString, faults }: Place): void {
  const text = source.slice(from, to);
  const closed = closedClass(text, inString ? '"\\\\' : '"\\\\:');
  const edit = closed === undefined ? {} : { edit: { from, to, text: closed } };
  if (RE2JS.matches(text, '"') || RE2JS.matches(text, '\\')) {
    faults.push({
      ...REPEATED_QUOTE,
      message: `\`${text}\` can match a quote or a backslash, and so go past the end of a string.`,
      suggestion: 'Put `[^"\\\\]` in its place, which is anything inside a string.',
      ...edit,
    });
  } else if (!inString && RE2JS.matches(text, ':')) {
    faults.push({
      ...OPEN_KEY,
      message: `\`${text}\` can match a colon outside a string, and so give a key that nobody thought of.`,
      suggestion: 'Put `[^"\\\\:]` in its place, or better what the value may be, such as `[0-9]`.',
      ...edit,
    });
  }
}

const ANYTHING = ['.', '[\\s\\S]', '[\\d\\D]', '[\\w\\W]'];

/** Gives the class without some characters, if it is a negated one or matches any character. */
function closedClass(text: string, without: string): string | undefined {
  if (ANYTHING.includes(text)) return `[^${without}]`;
  if (/^\\[DPSW]/.test(text)) return `[^${without}\\${text.charAt(1).toLowerCase()}${text.slice(2)}]`;
  return /^\[\^[^\]]/.test(text) ? `[^${without}${text.slice(2)}` : undefined;
}

function isEscape(piece: Piece | undefined): boolean {
  return piece?.kind === 'literal' && '"\\/bfnrtu'.includes(piece.char);
}

/** Describes a lone backslash. Most often somebody escaped the pattern twice, as in `\\\\.txt`. */
function loneBackslash({ from, to }: Literal): Fault {
  return {
    code: 'crosses_quote',
    message: 'A backslash in JSON begins an escape, and the pattern does not say which.',
    suggestion:
      'Write the escape out: `\\\\n` for a line end, `\\\\"` for a quote, `\\\\\\\\` for a backslash.',
    edit: { from, to, text: '\\' },
  };
}

/** Gives the pattern with every fault corrected, if all of them can be corrected and the result is good. */
function mended(source: string, faults: readonly Fault[]): string | undefined {
  let text = '';
  let done = 0;
  for (const { edit } of faults) {
    if (!edit) return undefined;
    text += source.slice(done, edit.from) + edit.text;
    done = edit.to;
  }
  text += source.slice(done);
  const parsed = parseRegex(text);
  return 'pieces' in parsed && faultsOf(text, parsed.pieces).length === 0 ? text : undefined;
}
