import type { KEYS } from '../../../../contracts/terminal-session-fields.ts';

export type Key = (typeof KEYS)[number];

/** The bytes of each key, as a terminal sends them. */
export const BYTES_OF: Readonly<Record<Key, string>> = {
  enter: '\r',
  'ctrl-c': '\u0003',
  'ctrl-d': '\u0004',
  'ctrl-z': '\u001a',
  tab: '\t',
  escape: '\u001b',
  backspace: '\u007f',
  up: '\u001b[A',
  down: '\u001b[B',
  left: '\u001b[D',
  right: '\u001b[C',
};

/**
 * What stands on a session's input line as far as the bridge knows: the text typed since the last Enter. Undefined if
 * keys such as "up" or "tab" put something there that only the program knows.
 */
export type TypedLine = string | undefined;

/** The line of a session to which nobody has typed. */
export const EMPTY: TypedLine = '';

/** Gives the line after a text was typed. */
export function afterText(line: TypedLine, text: string): TypedLine {
  const end = text.lastIndexOf('\n');
  if (end >= 0) return text.slice(end + 1);
  return line === undefined ? undefined : line + text;
}

/** Gives the line after keys were pressed. */
export function afterKeys(line: TypedLine, keys: readonly Key[]): TypedLine {
  let now = line;
  for (const key of keys) {
    if (key === 'enter' || key === 'ctrl-c') now = EMPTY;
    else if (key === 'backspace') now = now?.replace(/.$/su, '');
    else if (key !== 'ctrl-d' && key !== 'ctrl-z') now = undefined;
  }
  return now;
}
