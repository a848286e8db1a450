/**
 * The way to recognise one kind of secret. Every repetition in the patterns is bounded, so that no text makes
 * them slow.
 */
export interface SecretRule {
  readonly kind: string;
  /**
   * Every such secret has one of these in it. Each has at least two characters. The search tries the rule
   * only there.
   */
  readonly begins: readonly string[];
  /**
   * Text between `begins` and the secret. With a label, neither it nor `begins` is part of the secret, and
   * `begins` counts in any case and inside of words.
   */
  readonly label?: RegExp;
  /** The part of the secret after `begins` that is enough to recognise it. */
  readonly known: RegExp;
  /** The rest of the secret, repeated as often as it matches. */
  readonly more?: RegExp;
  /** Characters of the secret that stand before `begins`. `known` begins with them. */
  readonly lead?: number;
  /** True if no other text looks like it. In a file that is about to be pushed, it stops the push. */
  readonly certain?: true;
}

/** The place of a secret in a text. */
interface SecretAt {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** Rules, found by the first two characters of what they begin with. */
interface RuleIndex {
  /** The number of the list for each pair of ASCII characters. List 0 is empty. */
  readonly listOf: Uint8Array;
  /** The same for pairs in which another character is. */
  readonly wideListOf: ReadonlyMap<number, number>;
  readonly lists: readonly (readonly Entry[])[];
}

/** Rules that begin with the same text. */
interface Entry {
  readonly begin: string;
  readonly anyCase: boolean;
  readonly rules: SecretRule[];
}

/** Prepares rules for `findSecrets`. Of rules that begin with the same text, earlier ones win. */
export function indexRules(rules: readonly SecretRule[]): RuleIndex {
  const byPair = new Map<number, Entry[]>();
  for (const rule of rules) {
    const anyCase = rule.label !== undefined;
    for (const begin of rule.begins) {
      for (const pair of pairsOf(begin, anyCase)) {
        const list = byPair.get(pair) ?? [];
        byPair.set(pair, list);
        const entry = list.find((one) => one.begin === begin && one.anyCase === anyCase);
        if (entry) entry.rules.push(rule);
        else list.push({ begin, anyCase, rules: [rule] });
      }
    }
  }
  const listOf = new Uint8Array(1 << 14);
  const wideListOf = new Map<number, number>();
  const lists: Entry[][] = [[]];
  for (const [pair, list] of byPair) {
    const number = lists.push(list) - 1;
    if (isAsciiPair(pair >>> 16, pair & 0xffff)) listOf[((pair >>> 16) << 7) | (pair & 0xffff)] = number;
    else wideListOf.set(pair, number);
  }
  if (lists.length > 256) throw new Error('A byte cannot tell so many lists of rules apart.');
  return { listOf, wideListOf, lists };
}

function isAsciiPair(first: number, second: number): boolean {
  return (first | second) < 128;
}

function pairsOf(begin: string, anyCase: boolean): ReadonlySet<number> {
  const spellings = (char = '') => (anyCase ? [char.toLowerCase(), char.toUpperCase()] : [char]);
  const pairs = spellings(begin[0]).flatMap((first) => spellings(begin[1]).map((second) => first + second));
  return new Set(pairs.map((pair) => (pair.charCodeAt(0) << 16) | pair.charCodeAt(1)));
}

/**
 * Finds all secrets of a text, in order, without overlaps. It walks over the text once: at each place it
 * tries few rules, each looks at a bounded stretch, and a rule does not walk again over what it found.
 */
export function findSecrets(text: string, index: RuleIndex, most = Infinity): SecretAt[] {
  const { listOf, wideListOf, lists } = index;
  const found: SecretAt[] = [];
  // The secret that a label announced. The walk goes on inside it, because a rule there may name the kind
  // more exactly.
  let held: SecretAt | undefined;
  let end = 0;
  let first = text.charCodeAt(0);
  for (let at = 0; at + 1 < text.length; at++) {
    const second = text.charCodeAt(at + 1);
    const isAscii = isAsciiPair(first, second);
    const list = (isAscii ? listOf[(first << 7) | second] : wideListOf.get((first << 16) | second)) ?? 0;
    first = second;
    if (list === 0) continue;
    if (held && at >= held.end) {
      found.push(held);
      end = held.end;
      held = undefined;
    }
    const secret = beginningAt(text, at, lists[list] ?? [], held !== undefined, end);
    if (secret?.isAnnounced) held = secret;
    else if (secret) {
      if (held && secret.end > held.start) {
        const kind = secret.start <= held.start ? secret.kind : held.kind;
        const start = Math.min(secret.start, held.start);
        held = { kind, start, end: Math.max(secret.end, held.end) };
      } else {
        found.push(secret);
        end = secret.end;
      }
      at = secret.end - 1;
      first = text.charCodeAt(secret.end);
    }
    if (found.length >= most) return found;
  }
  if (held) found.push(held);
  return found;
}

interface Beginning extends SecretAt {
  /** True if a label announced it. */
  readonly isAnnounced: boolean;
}

function beginningAt(
  text: string,
  at: number,
  entries: readonly Entry[],
  isHeld: boolean,
  lastEnd: number,
): Beginning | undefined {
  for (const { begin, anyCase, rules } of entries) {
    if ((anyCase && isHeld) || !stands(text, at, begin, anyCase)) continue;
    for (const rule of rules) {
      const secret = rule.label
        ? announced(text, at + begin.length, rule, rule.label)
        : alone(text, at, begin, rule, lastEnd);
      if (secret) return { ...secret, isAnnounced: rule.label !== undefined };
    }
  }
  return undefined;
}

function announced(text: string, at: number, rule: SecretRule, label: RegExp): SecretAt | undefined {
  const start = endOf(label, text, at);
  return start < 0 || text.startsWith(HIDDEN, start) ? undefined : taken(text, start, start, rule);
}

function alone(
  text: string,
  at: number,
  begin: string,
  rule: SecretRule,
  lastEnd: number,
): SecretAt | undefined {
  const { lead = 0 } = rule;
  const start = at - lead;
  if (start < lastEnd || !isApart(text, start, lastEnd)) return undefined;
  return taken(text, start, lead > 0 ? start : at + begin.length, rule);
}

function taken(
  text: string,
  start: number,
  at: number,
  { kind, known, more }: SecretRule,
): SecretAt | undefined {
  let end = endOf(known, text, at);
  if (end < 0) return undefined;
  if (more) for (let next = end; next > 0; next = endOf(more, text, end)) end = next;
  return { kind, start, end };
}

/** The beginning of the text that replaces a secret. */
const HIDDEN = '[redacted:';

/** Gives the end of a sticky pattern's match at `at`, or -1. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** Compares the rest of `begin`. Its first two characters are already known to match. */
function stands(text: string, at: number, begin: string, anyCase: boolean): boolean {
  for (let i = 2; i < begin.length; i++) {
    const want = begin.charCodeAt(i);
    const code = text.charCodeAt(at + i);
    if (code === want) continue;
    if (!anyCase || (code < 128 ? code | 0x20 : lowerOf(code)) !== want) return false;
    if (code < 128 && !isAlphanumeric(code)) return false;
  }
  return true;
}

/**
 * Tells whether a word begins here: after another kind of character, after another secret, or after an escape
 * (`\n`, `%3D`).
 */
function isApart(text: string, at: number, lastEnd: number): boolean {
  if (at === lastEnd || !isAlphanumeric(text.charCodeAt(at - 1))) return true;
  return text[at - 2] === '\\' || text[at - 3] === '%' || text.startsWith('\\u', at - 6);
}

function lowerOf(code: number): number {
  return String.fromCharCode(code).toLowerCase().charCodeAt(0);
}

function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a);
}
