/** Writes a character so that it stands for itself in a pattern. */
export function escaped(char: string): string {
  return /[\p{L}\p{N} ]/u.test(char) ? char : `[${char === '^' || char === ']' ? `\\${char}` : char}]`;
}
