/**
 * What a reader does not see, or takes for something else: control characters but tab and newline, format
 * characters (bidi, zero-width, tags), every blank but the space, everything that Unicode lets a program leave out
 * (variation selectors, fillers, joiners), half characters, private and unassigned ones, and the few that are drawn
 * as nothing although their class says otherwise. Emoji pay for it too: a variation selector or a joiner that some
 * of them carry says one more bit each, so a row of them can spell an order.
 */
const UNSEEN =
  /(?![\t\n ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u2d7f\u303f\ufffc\ufffd\u{16fe4}\u{1107f}\u{1d159}]/gu;

/** The half of a pair that a cut left. */
const HALF = /[\ud800-\udbff]$/;

/**
 * Makes text that strangers wrote safe to show: what is invisible, moves a cursor or turns the
 * reading direction round is spelt out instead, so that nothing looks like something it is not.
 */
export function visible(text: string, maxChars = Number.POSITIVE_INFINITY): string {
  const shown = text.replace(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
  return shown.length <= maxChars ? shown : `${shown.slice(0, maxChars).replace(HALF, '')}…`;
}

/** The same in one line: what would end the line, or jump in it, is spelt out too. */
export function visibleLine(text: string, maxChars = Number.POSITIVE_INFINITY): string {
  return visible(text, maxChars).replace(/[\t\n]/g, (char) => (char === '\t' ? '\\t' : '\\n'));
}

/** The same text for a model, which needs no trace of it: blanks become spaces, the rest of the unseen goes. */
export function withoutUnseen(text: string): string {
  return text
    .replace(/[\p{Zl}\p{Zp}]/gu, '\n')
    .replace(/\p{Zs}/gu, ' ')
    .replace(UNSEEN, '');
}

/** Whether a text has characters that do not show. */
export function hasUnseen(text: string): boolean {
  return text.search(UNSEEN) >= 0;
}
