import type { Report } from './engine.ts';

const MOST_INPUTS = 30;
const MOST_CHARS = 2_000;
const MOST_CHARS_IN_ALL = 9_000;

/** The fewest small inputs that together reach nearly all that was reached. */
export function smallestThatReach(found: Report['found']): string[] {
  const left = found.filter(({ input }) => input.length <= MOST_CHARS);
  const reached = new Set<string>();
  const chosen: string[] = [];
  let chars = 0;
  while (chosen.length < MOST_INPUTS) {
    // The most new blocks a character, so that small inputs win.
    const worth = left.map(({ input, blocks }) => {
      const fresh = blocks.filter((block) => !reached.has(block)).length;
      return chars + input.length > MOST_CHARS_IN_ALL ? 0 : fresh / (input.length + 40);
    });
    const best = worth.indexOf(Math.max(...worth));
    const next = left[best];
    if (!next || worth[best] === 0) break;
    for (const block of next.blocks) reached.add(block);
    chosen.push(next.input);
    chars += next.input.length;
  }
  return chosen;
}
