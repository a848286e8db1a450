/**
 * Characters that a reader does not see or mistakes for others: control characters except tab and newline,
 * format characters (bidi, zero-width, tags), every blank but the space, everything that Unicode lets a
 * program leave out (variation selectors, fillers, joiners), half characters, private and unassigned ones,
 * and the few that draw nothing although their class says otherwise. Emoji are no exception: each variation
 * selector or joiner in an emoji carries one bit, so a row of emoji can spell a hidden order.
 */
const UNSEEN =
  /(?![\t\n ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u2d7f\u303f\ufffc\ufffd\u{16fe4}\u{1107f}\u{1d159}]/gu;

/** The first half of a pair that a cut left alone. */
const HALF = /[\ud800-\udbff]$/;

/**
 * Makes strangers' text safe to show. It spells out what is invisible, moves a cursor or turns the reading
 * direction round, so that nothing looks like something else.
 */
export function visible(text: string, maxChars = Number.POSITIVE_INFINITY): string {
  const shown = text.replace(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
  return shown.length <= maxChars ? shown : `${shown.slice(0, maxChars).replace(HALF, '')}…`;
}

/** Makes the same text in one line. It also spells out tabs and line ends. */
export function visibleLine(text: string, maxChars = Number.POSITIVE_INFINITY): string {
  return visible(text, maxChars).replace(/[\t\n]/g, (char) => (char === '\t' ? '\\t' : '\\n'));
}

/**
 * Cleans strangers' text for a model: blanks become spaces, other unseen characters go. A model needs no
 * trace of them.
 */
export function withoutUnseen(text: string): string {
  return text
    .replace(/[\p{Zl}\p{Zp}]/gu, '\n')
    .replace(/\p{Zs}/gu, ' ')
    .replace(UNSEEN, '');
}

/** Tells whether a text has unseen characters. */
export function hasUnseen(text: string): boolean {
  return text.search(UNSEEN) >= 0;
}

/** Cleans a stranger's text: removes unseen characters, keeps plain lines and limits the length. */
export function cleaned(text: string, maxChars: number): string {
  // Half characters go first: removing what stands between two of them would join them to one.
  const plain = normalForm(withoutUnseen(text.replace(/\p{Cs}/gu, '')), 'NFC')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim();
  return plain.length <= maxChars ? plain : `${plain.slice(0, maxChars - 1).replace(HALF, '')}…`;
}

/**
 * Brings a stranger's text into a normal form. Normalising takes time with the square of a run of combining marks, so
 * runs are cut to 30 first, which is more than any language needs (Unicode's stream-safe form).
 */
export function normalForm(text: string, form: 'NFC' | 'NFKC'): string {
  return text.replace(/(\p{M}{30})\p{M}+/gu, '$1').normalize(form);
}
