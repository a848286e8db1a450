import { type Op, program } from './pattern-program.ts';

/** What one try of a pattern at one place came to. */
export interface Try {
  /** Where the match ends, or -1. */
  readonly end: number;
  readonly steps: number;
  /** The first and the last place that was looked at. */
  readonly low: number;
  readonly high: number;
}

export class TooManySteps extends Error {}

/** Where to go on when what was tried does not fit: another way, all ways of a run, or a register to put back. */
type Choice =
  | { readonly kind: 'way'; readonly to: number; readonly at: number }
  | { readonly kind: 'run'; readonly to: number; readonly at: number; readonly left: number }
  | { readonly kind: 'more'; readonly pc: number; readonly at: number; readonly left: number }
  | { readonly kind: 'undo'; readonly register: number; readonly value: number };

/**
 * Tries a regular expression at one place as JavaScript's engine does, and counts the steps: a measure of work that is
 * the same on every computer, however busy it is. Tests hold it against the engine's own answers.
 */
export function tryAt(pattern: RegExp, text: string, start: number, most = Infinity): Try {
  const { ops, registers: count } = program(pattern);
  const isUnicode = /[uv]/.test(pattern.flags);
  const isMultiline = pattern.multiline;
  const registers = new Array<number>(count).fill(-1);
  let steps = 0;
  let low = start;
  let high = start - 1;

  const see = (at: number) => {
    if (at < low) low = at;
    if (at > high) high = at;
    if (++steps > most) throw new TooManySteps();
  };
  /** The place after the next character that is taken, or -1. */
  const step = (takes: (code: number) => boolean, at: number, back: boolean): number => {
    const first = back ? at - 1 : at;
    see(first);
    if (first < 0 || first >= text.length) return -1;
    let code = text.charCodeAt(first);
    let next = back ? first : first + 1;
    if (isUnicode) {
      const pair = back ? first - 1 : first;
      const whole = pair >= 0 ? (text.codePointAt(pair) ?? 0) : 0;
      if (whole > 0xffff) {
        code = whole;
        next = back ? pair : pair + 2;
        see(back ? pair : pair + 1);
      }
    }
    return takes(code) ? next : -1;
  };
  const isWord = (at: number) => {
    see(at);
    return at >= 0 && at < text.length && /\w/.test(text.charAt(at));
  };
  const isLineEnd = (at: number) =>
    at < 0 || at >= text.length || (isMultiline && isBreak(text.charCodeAt(at)));
  const isEdge = (source: string, at: number) => {
    if (source === '^') see(at - 1);
    if (source === '$') see(at);
    if (source === '^') return isLineEnd(at - 1);
    if (source === '$') return isLineEnd(at);
    return (isWord(at - 1) !== isWord(at)) === (source === '\\b');
  };
  const again = ({ group, back }: Extract<Op, { op: 'again' }>, at: number) => {
    const [from = -1, to = -1] = registers.slice(group * 2, group * 2 + 2);
    if (from < 0 || to < 0) return at;
    const length = to - from;
    const begin = back ? at - length : at;
    for (let i = 0; i < length; i++) {
      see(begin + i);
      if (!same(text.charAt(begin + i), text.charAt(from + i), pattern.ignoreCase)) return -1;
    }
    return back ? begin : at + length;
  };

  const run = (first: number, from: number): number => {
    const choices: Choice[] = [];
    let pc = first;
    let at = from;
    const set = (register: number, value: number) => {
      choices.push({ kind: 'undo', register, value: registers[register] ?? -1 });
      registers[register] = value;
    };
    const fails = (): boolean => {
      for (let last = choices.pop(); last; last = choices.pop()) {
        if (++steps > most) throw new TooManySteps();
        if (last.kind === 'undo') registers[last.register] = last.value;
        else if (last.kind === 'more') {
          const op = ops[last.pc];
          const next = op?.op === 'run' ? step(op.takes, last.at, op.back) : -1;
          if (next < 0) continue;
          if (last.left > 1) choices.push({ ...last, at: next, left: last.left - 1 });
          pc = last.pc + 1;
          at = next;
          return false;
        } else {
          pc = last.to;
          at = last.at;
          if (last.kind === 'run' && last.left > 1) {
            const op = ops[last.to - 1];
            choices.push({ ...last, at: shorter(op, last.at), left: last.left - 1 });
          }
          return false;
        }
      }
      return true;
    };
    const shorter = (op: Op | undefined, place: number) => {
      if (op?.op === 'run' && op.back)
        return place + (isUnicode && (text.codePointAt(place) ?? 0) > 0xffff ? 2 : 1);
      return place - (isUnicode && place > 1 && (text.codePointAt(place - 2) ?? 0) > 0xffff ? 2 : 1);
    };
    for (;;) {
      const op = ops[pc];
      if (!op || op.op === 'done') return at;
      if (++steps > most) throw new TooManySteps();
      let fits = true;
      switch (op.op) {
        case 'char': {
          const next = step(op.takes, at, op.back);
          fits = next >= 0;
          at = next;
          break;
        }
        case 'run': {
          let taken = 0;
          const goal = op.isLazy ? op.min : op.max;
          while (taken < goal) {
            const next = step(op.takes, at, op.back);
            if (next < 0) break;
            at = next;
            taken += 1;
          }
          fits = taken >= op.min;
          if (!fits) break;
          if (op.isLazy && op.max > op.min) choices.push({ kind: 'more', pc, at, left: op.max - op.min });
          if (!op.isLazy && taken > op.min) {
            choices.push({ kind: 'run', to: pc + 1, at: shorter(op, at), left: taken - op.min });
          }
          break;
        }
        case 'split':
          choices.push({ kind: 'way', to: op.second, at });
          break;
        case 'jump':
          pc = op.to - 1;
          break;
        case 'save':
          set(op.register, at);
          break;
        case 'zero':
          set(op.register, 0);
          break;
        case 'loop': {
          const done = registers[op.counter] ?? 0;
          if (done >= op.min) {
            const isOver = done >= op.max;
            if (!isOver) choices.push({ kind: 'way', to: op.isLazy ? pc + 1 : op.end, at });
            if (isOver || op.isLazy) pc = op.end - 1;
          }
          break;
        }
        case 'next': {
          const done = (registers[op.counter] ?? 0) + 1;
          fits = done <= op.min || registers[op.start] !== at;
          set(op.counter, done);
          pc = op.to - 1;
          break;
        }
        case 'look': {
          const before = [...registers];
          const found = run(pc + 1, at) >= 0;
          fits = found !== op.isNegative;
          const inside = [...registers];
          before.forEach((value, i) => {
            registers[i] = value;
          });
          if (found && !op.isNegative) {
            inside.forEach((value, i) => {
              if (value !== before[i]) set(i, value);
            });
          }
          pc = op.end - 1;
          break;
        }
        case 'edge':
          fits = isEdge(op.source, at);
          break;
        case 'again': {
          const next = again(op, at);
          fits = next >= 0;
          at = next;
          break;
        }
      }
      if (fits) pc += 1;
      else if (fails()) return -1;
    }
  };
  const end = run(0, start);
  return { end, steps, low, high };
}

const isBreak = (code: number) => code === 10 || code === 13 || code === 0x2028 || code === 0x2029;

const same = (one: string, other: string, ignoreCase: boolean) =>
  one === other || (ignoreCase && one.toLowerCase() === other.toLowerCase());

/** Steps of a whole search, as `test` and `replace` make it. With `g` it goes on behind each match. */
export function stepsOfSearch(pattern: RegExp, text: string, most = Infinity): number {
  let steps = 0;
  for (let at = 0; at <= text.length; ) {
    const tried = tryAt(pattern, text, at, most - steps);
    steps += tried.steps;
    if (pattern.sticky && !pattern.global) return steps;
    if (tried.end >= 0 && !pattern.global) return steps;
    at = tried.end > at ? tried.end : at + 1;
  }
  return steps;
}
