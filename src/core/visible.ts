/**
 * Makes text that strangers wrote safe to show: what is invisible, moves a cursor or turns the
 * reading direction round is spelt out instead, so that nothing looks like something it is not.
 */
export function visible(text: string, maxChars = Number.POSITIVE_INFINITY): string {
  const shown = text.replace(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
  return shown.length <= maxChars ? shown : `${shown.slice(0, maxChars).toWellFormed()}…`;
}

/** Control characters but tab and newline, format characters (bidi, zero-width, tags), and separators of lines. */
const UNSEEN = /(?![\t\n])\p{Cc}|\p{Cf}|\u2028|\u2029|\ufffd/gu;
