import { findSecrets } from './find-secrets.ts';
import { ANY_SECRET } from './secret-rules.ts';
import { FOREIGN_PASSWORDS, GUARDED } from './secret-words.ts';

/**
 * Replaces everything that looks like a secret by the name of its kind. Everything that leaves a machine or
 * enters the ledger passes here.
 */
export function redact(text: string): string {
  const found = findSecrets(text, ANY_SECRET);
  if (found.length === 0) return text;
  let clean = '';
  let at = 0;
  for (const { kind, start, end } of found) {
    clean += `${text.slice(at, start)}[redacted:${kind}]`;
    at = end;
  }
  return clean + text.slice(at);
}

/** Larger than the stretch that any rule needs to recognise a secret. */
const REACH = 8_192;

/**
 * Gives the beginning of a text without its secrets, and the text's length, at a cost that does not grow with
 * the text. No rule recognises a secret that the first cut splits, so all that could belong to one is cut off
 * too.
 */
export function redactedBeginning(text: string, most: number): string {
  const isWhole = text.length <= most + REACH;
  const clean = redact(isWhole ? text : text.slice(0, most + REACH));
  if (isWhole && clean.length <= most) return clean;
  const room = isWhole ? most : Math.max(0, Math.min(most, clean.length - REACH));
  return `${clean.slice(0, room).toWellFormed()}… [${text.length} characters]`;
}

/**
 * Redacts a whole JSON value. It hides everything under a telling key, whatever its shape, and the word after
 * an option that announces a secret. Texts are cut to `most` characters.
 */
export function redactValue(value: unknown, most: number = Number.POSITIVE_INFINITY): unknown {
  return cleaned(value, false, most);
}

function cleaned(value: unknown, isSecret: boolean, most: number): unknown {
  if (typeof value === 'string') {
    if (isSecret && value !== '') return HIDDEN;
    return most === Number.POSITIVE_INFINITY ? redact(value) : redactedBeginning(value, most);
  }
  if (typeof value === 'number') return isSecret ? HIDDEN : value;
  if (Array.isArray(value)) {
    return value.map((item, i) => cleaned(item, isSecret || isAnnounced(value, i), most));
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  // Headers and form fields often have this form: `{ "name": "Cookie", "value": "…" }`.
  const named = entries.some(([key, item]) => /^(?:name|key|header|field)$/i.test(key) && isTelling(item));
  return Object.fromEntries(
    entries.map(([key, item]) => {
      const hide = isSecret || isTelling(key) || (named && /^(?:value|content)$/i.test(key));
      return [redact(key), cleaned(item, hide, most)];
    }),
  );
}

const HIDDEN = '[redacted:secret]';

/**
 * Tells whether the words before announce this one: `["Authorization", "…"]`, or a list of arguments such as
 * `["docker", "login", "-p", "…"]`.
 */
function isAnnounced(list: readonly unknown[], at: number): boolean {
  const [before, item] = [list[at - 1], list[at]];
  if (typeof before !== 'string' || typeof item !== 'string') return false;
  if (before.length <= MAX_KEY && isTelling(before) && !before.startsWith('-')) return true;
  const isCommand = at <= MAX_WORDS && isWord(list[0]);
  if (!isCommand && !before.startsWith('-')) return false;
  const words = isCommand ? list.slice(0, at) : [before];
  const line = words.filter(isWord).join(' ').slice(-MAX_LINE);
  return findSecrets(`${line} ${item.slice(0, REACH)}`, ANY_SECRET).some(({ end }) => end > line.length);
}

/** The most words of a list to take for arguments of a command. */
const MAX_WORDS = 64;
const MAX_LINE = 512;

function isWord(item: unknown): item is string {
  return typeof item === 'string' && item.length <= MAX_KEY && /^\S+$/.test(item);
}

const MAX_KEY = 256;
const TELLING = new RegExp(
  `(?:pass(?:word|wd|phrase|code)|pwd|secret|token|credentials?|authorization|cookie|^_?auth|(?:^|[ _.-])pass|^pw|${FOREIGN_PASSWORDS.join('|')}|${GUARDED}[ _-]?key)$`,
  'i',
);

/** Tells whether a key says by its name that a secret stands under it. */
function isTelling(key: unknown): boolean {
  return typeof key === 'string' && (TELLING.test(key.slice(-MAX_KEY)) || /[a-z]Pass$/.test(key));
}
