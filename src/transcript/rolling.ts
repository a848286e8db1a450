import type { Cue } from './cue.ts';

const LEAST_PAIRS = 3;
/** More lines are never on a screen at once. */
const MOST_LINES = 8;

/**
 * Drops lines that captions show again while the next one is spoken. It does so only if the whole file
 * repeats lines like that, because people repeat themselves too.
 */
export function withoutRolling(cues: readonly Cue[], isLive: boolean): readonly Cue[] {
  if (!isLive && !rolls(cues)) return cues;
  let shown: readonly string[] = [];
  return cues.map((cue) => {
    const { lines } = cue;
    const again = repeated(shown, lines);
    const grown = again === 0 ? growth(shown, lines) : undefined;
    if (lines.length > 0) shown = lines;
    if (grown !== undefined) return { ...cue, lines: grown === '' ? [] : [grown] };
    return again === 0 ? cue : { ...cue, lines: lines.slice(again) };
  });
}

function rolls(cues: readonly Cue[]): boolean {
  let pairs = 0;
  let rolling = 0;
  for (let i = 1; i < cues.length; i++) {
    const before = cues[i - 1]?.lines ?? [];
    const now = cues[i]?.lines ?? [];
    if (before.length === 0 || now.length === 0) continue;
    pairs += 1;
    const isSame = before.join('\n') === now.join('\n');
    if (!isSame && (repeated(before, now) > 0 || growth(before, now) !== undefined)) rolling += 1;
  }
  return rolling >= LEAST_PAIRS && rolling * 2 >= pairs;
}

/** Counts the lines at the top that were at the bottom before. */
function repeated(before: readonly string[], now: readonly string[]): number {
  for (let count = Math.min(before.length, now.length, MOST_LINES); count > 0; count--) {
    const tail = before.slice(before.length - count);
    if (tail.every((line, i) => line === now[i])) return count;
  }
  return 0;
}

/** Gives what was added to a text that is shown again whole; `undefined` if it is another text. */
function growth(before: readonly string[], now: readonly string[]): string | undefined {
  const old = before.join(' ');
  const text = now.join(' ');
  if (old === '' || !text.startsWith(old)) return undefined;
  const rest = text.slice(old.length);
  return rest === '' || /^\s/.test(rest) ? rest.trim() : undefined;
}
