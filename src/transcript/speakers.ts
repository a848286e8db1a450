import type { Cue } from './cue.ts';

const LABEL = /^(?:>>\s*)?(\p{L}[\p{L}\p{M}\p{N} .'’_()&/-]{0,48}?)\s?[:：]\s+(?=\S)/u;
const TURN = /^\s*(?:>>+|&gt;&gt;|[-–—]\s)\s*/;

/** Takes names off the beginnings of lines. Begins a turn at each name and at `>>` and `-`. */
export function turnsOf(cues: readonly Cue[]): readonly Cue[] {
  const names = namesIn(cues);
  return cues.flatMap((cue) => {
    const turns: { speaker?: string; isTurn?: boolean; lines: string[] }[] = [];
    for (const line of cue.lines) {
      const label = LABEL.exec(line);
      const name = label?.[1]?.trim();
      const isName = name !== undefined && names.has(name);
      const text = isName ? line.slice(label?.[0].length) : line.replace(TURN, '');
      const last = turns.at(-1);
      if (isName) turns.push({ speaker: name, isTurn: true, lines: [text] });
      else if (!last || text !== line) {
        turns.push({ lines: [text], isTurn: text !== line });
      } else last.lines.push(text);
    }
    const { start, end } = cue;
    const times = { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
    return turns.map((turn, i) => {
      const speaker = turn.speaker ?? (i === 0 ? cue.speaker : undefined);
      const isTurn = turn.isTurn === true || (i === 0 && cue.isTurn === true);
      return { ...times, lines: turn.lines, isTurn, ...(speaker ? { speaker } : {}) };
    });
  });
}

/**
 * Finds the speakers' names. Text before a colon is a name if it stands there more than once, or if every
 * line has one.
 */
function namesIn(cues: readonly Cue[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  let lines = 0;
  for (const cue of cues) {
    for (const line of cue.lines) {
      lines += 1;
      const name = LABEL.exec(line)?.[1]?.trim();
      if (name !== undefined && name.split(/\s+/).length <= 5) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const named = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const allNamed = named * 2 > lines && named > 1;
  return new Set([...counts].filter(([, count]) => count > 1 || allNamed).map(([name]) => name));
}
