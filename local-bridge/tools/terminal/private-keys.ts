/** Stands in the place of a private key. */
export const HIDDEN_KEY = '[redacted:private-key]';

export const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/;
export const KEY_ENDS = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY/;

/** A line of a key's body: nothing but base64, and as long as such lines are. */
const BODY = /^\s*[A-Za-z0-9+/]{48,}={0,2}\s*$/;

/**
 * Hides private keys among the lines of a screen, which may show a part of one: its head can have scrolled away, and its
 * end may not be printed yet. Where neither is to be seen, two lines of base64 in a row count as a part. The lines keep
 * their places.
 */
export function withoutKeys(lines: readonly string[]): string[] {
  const isPart = lines.map((line, at) => isBody(line) && (isBody(lines[at - 1]) || isBody(lines[at + 1])));
  let begun: number | undefined;
  for (const [at, line] of lines.entries()) {
    if (KEY_BEGINS.test(line)) begun ??= at;
    if (!KEY_ENDS.test(line)) continue;
    isPart.fill(true, begun ?? 0, at + 1);
    begun = undefined;
  }
  if (begun !== undefined) isPart.fill(true, begun);
  return lines.map((line, at) => (isPart[at] ? (isPart[at - 1] ? '' : HIDDEN_KEY) : line));
}

function isBody(line: string | undefined): boolean {
  return line !== undefined && BODY.test(line);
}
