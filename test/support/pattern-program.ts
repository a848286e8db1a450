import { type Piece, piecesOf, readPattern } from './pattern-tree.ts';

/** One operation of a backtracking matcher. What stands behind it is next, unless it says otherwise. */
export type Op =
  | { readonly op: 'char'; readonly takes: Takes; readonly back: boolean }
  | {
      readonly op: 'run';
      readonly takes: Takes;
      readonly min: number;
      readonly max: number;
      readonly isLazy: boolean;
      readonly back: boolean;
    }
  | { readonly op: 'split'; second: number }
  | { readonly op: 'jump'; to: number }
  | { readonly op: 'save' | 'zero'; readonly register: number }
  | {
      readonly op: 'loop';
      readonly counter: number;
      readonly min: number;
      readonly max: number;
      readonly isLazy: boolean;
      end: number;
    }
  | {
      readonly op: 'next';
      readonly counter: number;
      readonly start: number;
      readonly min: number;
      readonly to: number;
    }
  | { readonly op: 'look'; readonly isNegative: boolean; end: number }
  | { readonly op: 'edge'; readonly source: string }
  | { readonly op: 'again'; readonly group: number; readonly back: boolean }
  | { readonly op: 'done' };

type Takes = (code: number) => boolean;

export interface Program {
  readonly ops: readonly Op[];
  readonly registers: number;
}

const programs = new Map<string, Program>();

/** The program of a regular expression. Registers begin with two for each group. */
export function program(pattern: RegExp): Program {
  const known = programs.get(String(pattern));
  if (known) return known;
  const tree = readPattern(pattern.source);
  const names = new Map<string, number>();
  let registers = 2;
  for (const piece of piecesOf(tree)) {
    if (piece.type !== 'group') continue;
    registers = Math.max(registers, piece.number * 2 + 2);
    if (piece.name !== '') names.set(piece.name, piece.number);
  }
  const ops: Op[] = [];
  const flags = pattern.flags.replace(/[dgmy]/g, '');

  const write = (piece: Piece, back: boolean): void => {
    switch (piece.type) {
      case 'char':
        ops.push({ op: 'char', takes: takesOf(piece.source, flags), back });
        return;
      case 'all':
        for (const each of back ? piece.pieces.toReversed() : piece.pieces) write(each, back);
        return;
      case 'any': {
        const jumps: { to: number }[] = [];
        piece.pieces.forEach((each, i) => {
          const isLast = i === piece.pieces.length - 1;
          const split = { op: 'split' as const, second: 0 };
          if (!isLast) ops.push(split);
          write(each, back);
          const jump = { op: 'jump' as const, to: 0 };
          if (!isLast) ops.push(jump);
          jumps.push(jump);
          split.second = ops.length;
        });
        for (const jump of jumps) jump.to = ops.length;
        return;
      }
      case 'group': {
        const [first, last] = back ? [1, 0] : [0, 1];
        ops.push({ op: 'save', register: piece.number * 2 + first });
        write(piece.piece, back);
        ops.push({ op: 'save', register: piece.number * 2 + last });
        return;
      }
      case 'repeat': {
        const { min, max, isLazy } = piece;
        if (piece.piece.type === 'char') {
          ops.push({ op: 'run', takes: takesOf(piece.piece.source, flags), min, max, isLazy, back });
          return;
        }
        const counter = registers++;
        const start = registers++;
        ops.push({ op: 'zero', register: counter });
        const to = ops.length;
        const loop = { op: 'loop' as const, counter, min, max, isLazy, end: 0 };
        ops.push(loop, { op: 'save', register: start });
        write(piece.piece, back);
        ops.push({ op: 'next', counter, start, min, to });
        loop.end = ops.length;
        return;
      }
      case 'look': {
        const look = { op: 'look' as const, isNegative: piece.isNegative, end: 0 };
        ops.push(look);
        write(piece.piece, piece.isBehind);
        ops.push({ op: 'done' });
        look.end = ops.length;
        return;
      }
      case 'edge':
        ops.push({ op: 'edge', source: piece.source });
        return;
      case 'again': {
        const [, name] = /^\\k<(.*)>$/.exec(piece.source) ?? [];
        const group = name === undefined ? Number(piece.source.slice(1)) : (names.get(name) ?? 0);
        ops.push({ op: 'again', group, back });
      }
    }
  };
  write(tree, false);
  const made = { ops, registers };
  programs.set(String(pattern), made);
  return made;
}

const UNKNOWN = 2;
const tables = new Map<string, Takes>();

/** Whether a piece takes a character, as the engine itself says, asked once for each. */
export function takesOf(source: string, flags: string): Takes {
  const key = `${flags} ${source}`;
  const known = tables.get(key);
  if (known) return known;
  const pattern = new RegExp(`^(?:${source})$`, flags);
  const table = new Uint8Array(0x10000).fill(UNKNOWN);
  const asked = (code: number) => pattern.test(String.fromCodePoint(code));
  const takes = (code: number) => {
    if (code > 0xffff) return asked(code);
    if (table[code] === UNKNOWN) table[code] = asked(code) ? 1 : 0;
    return table[code] === 1;
  };
  tables.set(key, takes);
  return takes;
}
