import { type Piece, piecesOf, readPattern } from './pattern-tree.ts';

/** A text that grows by a part of it, to see what a pattern makes of it. */
export interface Attack {
  readonly before: string;
  readonly part: string;
  readonly after: string;
}

export function grownTo(length: number, { before, part, after }: Attack): string {
  return before + part.repeat(Math.ceil(length / part.length)) + after;
}

/**
 * Texts on which a pattern works hardest if it works too hard at all: each repetition in it is fed with what it takes,
 * with and without what has to stand before, and the end keeps the whole from matching.
 */
export function attacksOn(pattern: RegExp): Attack[] {
  const tree = readPattern(pattern.source);
  const flags = pattern.flags.replace(/[gy]/g, '');
  const chars = [...piecesOf(tree)].flatMap((piece) => (piece.type === 'char' ? [piece.source] : []));
  const samples = [...new Set(chars.map((source) => sampleOf(source, flags)))];
  const takes = (source: string, char: string) => new RegExp(`^${source}$`, flags).test(char);
  const attacks: Attack[] = [];
  const feed = (before: string, part: string) => {
    if (part === '') return;
    for (const after of ['', '\u0001', '!x', '\n']) {
      attacks.push({ before, part, after });
      if (before !== '')
        attacks.push({ before: '', part, after }, { before: '', part: before + part, after });
    }
  };
  const walk = (piece: Piece, before: string): string => {
    switch (piece.type) {
      case 'char':
        return sampleOf(piece.source, flags);
      case 'all': {
        let text = '';
        for (const each of piece.pieces) text += walk(each, before + text);
        return text;
      }
      case 'any':
        return piece.pieces.map((each) => walk(each, before))[0] ?? '';
      case 'repeat': {
        const body = walk(piece.piece, before);
        if (piece.max > 3) {
          feed(before, body);
          if (piece.piece.type === 'char') {
            const { source } = piece.piece;
            for (const sample of samples) if (takes(source, sample)) feed(before, sample);
          } else {
            for (const inner of piecesOf(piece.piece)) {
              if (inner.type === 'char') feed(before, sampleOf(inner.source, flags));
            }
          }
        }
        return body.repeat(Math.max(1, Math.min(piece.min, 64)));
      }
      case 'look': {
        const text = walk(piece.piece, before);
        return piece.isNegative || piece.isBehind ? '' : text.slice(0, 0);
      }
      default:
        return '';
    }
  };
  const whole = walk(tree, '');
  feed('', whole);
  if (whole.length > 1) feed('', whole.slice(0, -1));
  const unique = new Map(attacks.map((attack) => [JSON.stringify(attack), attack]));
  return [...unique.values()];
}

const CANDIDATES = [
  'a',
  'A',
  '0',
  ' ',
  '-',
  '_',
  '.',
  '/',
  ':',
  '"',
  "'",
  '\n',
  '\t',
  '<',
  '=',
  ...allAscii(),
  'é',
  '\u00a0',
  '\u200b',
  '\u2028',
  '中',
  '😀',
  '\u{e0041}',
];

function allAscii(): string[] {
  return Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
}

const remembered = new Map<string, string>();

/** A character that a piece of a pattern takes. */
function sampleOf(source: string, flags: string): string {
  const key = `${flags} ${source}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const pattern = new RegExp(`^${source}$`, flags);
  const found = CANDIDATES.find((char) => pattern.test(char)) ?? anyOf(pattern);
  remembered.set(key, found);
  return found;
}

function anyOf(pattern: RegExp): string {
  for (let code = 0x80; code < 0x3000; code++) {
    const char = String.fromCharCode(code);
    if (pattern.test(char)) return char;
  }
  return '';
}
