/** How one kind of secret is known. Every repetition in its patterns is bounded, so that no text keeps them busy. */
export interface SecretRule {
  readonly kind: string;
  /** One of these stands in every such secret, at least two characters of ASCII. Nothing else is tried elsewhere. */
  readonly begins: readonly string[];
  /**
   * What stands between `begins` and the secret. It is not part of the secret, and neither is `begins`, which then
   * counts in any case and inside of words.
   */
  readonly label?: RegExp;
  /** As much of the secret, after `begins`, as it takes to know it. */
  readonly known: RegExp;
  /** What the secret goes on with, taken as often as it matches. */
  readonly more?: RegExp;
  /** How many characters of the secret stand before `begins`; `known` begins with them. */
  readonly lead?: number;
  /** Told from all other text by its looks alone. In a file that is about to be pushed, it stops the push. */
  readonly certain?: true;
}

/** Where a text holds a secret. */
export interface SecretAt {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** Rules by the first two characters of what they begin with. */
export interface RuleIndex {
  /** Which of the lists belongs to two characters; 0 is the empty one. */
  readonly listOf: Uint8Array;
  readonly lists: readonly (readonly Entry[])[];
}

/** Rules that begin with the same. */
interface Entry {
  readonly begin: string;
  readonly anyCase: boolean;
  readonly rules: SecretRule[];
}

/** Prepares rules for `findSecrets`. Of those that begin with the same, earlier ones win. */
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
  const lists: Entry[][] = [[]];
  for (const [pair, list] of byPair) listOf[pair] = lists.push(list) - 1;
  if (lists.length > 256) throw new Error('A byte cannot tell so many lists of rules apart.');
  return { listOf, lists };
}

function pairsOf(begin: string, anyCase: boolean): ReadonlySet<number> {
  const spellings = (char = '') => (anyCase ? [char.toLowerCase(), char.toUpperCase()] : [char]);
  const pairs = spellings(begin[0]).flatMap((first) => spellings(begin[1]).map((second) => first + second));
  return new Set(pairs.map((pair) => (pair.charCodeAt(0) << 7) | pair.charCodeAt(1)));
}

/**
 * All secrets of a text, in order, none over another. One walk over the text: at each place few rules are tried, each
 * of them looks at a bounded stretch, and what was found is not walked over by the rule that found it again.
 */
export function findSecrets(text: string, { listOf, lists }: RuleIndex, most = Infinity): SecretAt[] {
  const found: SecretAt[] = [];
  // What a label announced. The walk goes on inside, for what is there may say more exactly what it is.
  let held: SecretAt | undefined;
  let end = 0;
  let first = text.charCodeAt(0);
  for (let at = 0; at + 1 < text.length; at++) {
    const second = text.charCodeAt(at + 1);
    const list = (first | second) < 128 ? (listOf[(first << 7) | second] ?? 0) : 0;
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
  /** Whether it is known by a label. */
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

/** What stands in the place of a secret begins so. */
const HIDDEN = '[redacted:';

/** Where a sticky pattern that is tried at `at` ends, or -1. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** Whether the rest of `begin` is there, its first two characters being so. */
function stands(text: string, at: number, begin: string, anyCase: boolean): boolean {
  for (let i = 2; i < begin.length; i++) {
    const want = begin.charCodeAt(i);
    const code = text.charCodeAt(at + i);
    if (code !== want && !(anyCase && (code | 0x20) === want && isAlphanumeric(code))) return false;
  }
  return true;
}

/** Whether a word begins here: after another character, after another secret, or after an escaped one (`\n`, `%3D`). */
function isApart(text: string, at: number, lastEnd: number): boolean {
  if (at === lastEnd || !isAlphanumeric(text.charCodeAt(at - 1))) return true;
  return text[at - 2] === '\\' || text[at - 3] === '%' || text.startsWith('\\u', at - 6);
}

function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a);
}
