type DiffLine = 'added' | 'removed' | 'hunk' | undefined;

/**
 * Says of each line of a unified diff what it is. Counts the lines of a hunk as its head announces them. Without that a
 * removed line `-- x` would look like the name of the next file, and the name of a file like a change.
 */
export function diffLines(lines: readonly string[]): DiffLine[] {
  let before = 0;
  let after = 0;
  return lines.map((line) => {
    if (before <= 0 && after <= 0) {
      const head = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
      before = head ? Number(head[1] ?? 1) : 0;
      after = head ? Number(head[2] ?? 1) : 0;
      return 'hunk';
    }
    const sign = line.charAt(0);
    if (sign === '\\') return 'hunk';
    if (sign !== '+') before -= 1;
    if (sign !== '-') after -= 1;
    return sign === '+' ? 'added' : sign === '-' ? 'removed' : undefined;
  });
}
