import type { Random } from './random.ts';

/** Nothing longer is tried, unless a seed is. */
export const MAX_CHARS = 6_000;

/** Characters that parsers tend to stumble over. */
const ODD = [
  ...'\0\t\n\r "\'\\/<>[]{}()&;:,.=%#?*+-^$|!~@`_0129aZ',
  ...['\u0085', '\u00a0', '\u00ad', '\u0301', '\u200b', '\u202e', '\u2028', '\ufeff', '\uff0e', '\ufffd'],
  ...['\ud83d', '\ude00', '😀', 'İ', 'ß', 'é', '中'],
];
const ODD_BYTES = [
  0, 1, 9, 10, 13, 32, 0x22, 0x2f, 0x3c, 0x5c, 0x7f, 0x80, 0xbf, 0xc0, 0xed, 0xef, 0xfe, 0xff,
];
const NUMBERS = [
  '0',
  '-1',
  '1',
  '255',
  '256',
  '65536',
  '2147483648',
  '4294967296',
  '9007199254740993',
  '1e999',
];

/** What a mutation may use besides the input itself. */
export interface Material {
  readonly pool: readonly string[];
  readonly words: readonly string[];
  readonly isBinary: boolean;
}

type Mutation = (input: string, random: Random, material: Material) => string;

/** An input like this one and yet another: up to four small changes of it. */
export function mutate(input: string, random: Random, material: Material): string {
  let mutated = input;
  for (let changes = 1 + random.below(4); changes > 0; changes--) {
    mutated = random.pick(MUTATIONS)(mutated, random, material);
  }
  return mutated.slice(0, Math.max(MAX_CHARS, input.length));
}

const replaced = (input: string, from: number, to: number, by: string) =>
  input.slice(0, from) + by + input.slice(to);

function range(input: string, random: Random): [from: number, to: number] {
  const from = random.below(input.length + 1);
  // Mostly short ones: a long one leaves little of the input.
  const most = random.below(4) === 0 ? input.length : 8;
  return [from, Math.min(input.length, from + 1 + random.below(most))];
}

function oddOne(random: Random, { isBinary }: Material): string {
  if (isBinary)
    return String.fromCharCode(random.below(3) === 0 ? random.below(256) : (random.pick(ODD_BYTES) ?? 0));
  return random.below(8) === 0 ? String.fromCharCode(random.below(0x10000)) : (random.pick(ODD) ?? '');
}

const flip: Mutation = (input, random, { isBinary }) => {
  const at = random.below(input.length);
  const code = input.charCodeAt(at) || 0;
  return replaced(input, at, at + 1, String.fromCharCode(code ^ (1 << random.below(isBinary ? 8 : 7))));
};
const put: Mutation = (input, random, material) => {
  const at = random.below(input.length + 1);
  return replaced(input, at, at + random.below(2), oddOne(random, material));
};
const drop: Mutation = (input, random) => replaced(input, ...range(input, random), '');
const double: Mutation = (input, random) => {
  const [from, to] = range(input, random);
  const times = random.below(6) === 0 ? 2 + random.below(60) : 1;
  return replaced(input, to, to, input.slice(from, to).repeat(times));
};
const move: Mutation = (input, random) => {
  const [from, to] = range(input, random);
  const rest = replaced(input, from, to, '');
  const at = random.below(rest.length + 1);
  return replaced(rest, at, at, input.slice(from, to));
};
const say: Mutation = (input, random, { words }) => {
  const [from, to] = range(input, random);
  return replaced(input, from, random.below(2) === 0 ? from : to, random.pick(words) ?? '');
};
const count: Mutation = (input, random) => {
  const numbers = [...input.matchAll(/\d+/g)];
  const number = random.pick(numbers);
  if (!number) return input;
  return replaced(input, number.index, number.index + number[0].length, random.pick(NUMBERS) ?? '0');
};
const splice: Mutation = (input, random, { pool }) => {
  const other = random.pick(pool) ?? '';
  return input.slice(0, random.below(input.length + 1)) + other.slice(random.below(other.length + 1));
};
const graft: Mutation = (input, random, { pool }) => {
  const other = random.pick(pool) ?? '';
  const at = random.below(input.length + 1);
  return replaced(input, at, at, other.slice(...range(other, random)));
};
const cut: Mutation = (input, random) =>
  random.below(2) === 0
    ? input.slice(0, random.below(input.length + 1))
    : input.slice(random.below(input.length + 1));

const MUTATIONS: readonly [Mutation, ...Mutation[]] = [
  flip,
  put,
  put,
  drop,
  double,
  move,
  say,
  say,
  count,
  splice,
  graft,
  cut,
];
