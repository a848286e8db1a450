import type { El } from './tree.ts';

/** Shorter parts may be alike by chance: two answers, two prices. */
const LEAST = 150;
const LEAST_BLOCKS = 3;
const NEARLY_ALL = 0.9;
/** A copy may leave out a block or two of what it copies. */
const MOST_LEFT_OUT = 2;

/** Names of a layout for one size of screen. It may have another order, and a line more for its buttons. */
const SCREEN =
  /(?:^|[\s_-])(?:mobile|tablet|desktop|phone|(?:xs|sm|md|lg|xl)[-:]?(?:hidden|none|only|up|down))(?:$|[\s_-]|\d)/;
const MOSTLY = 0.85;

/** Entries of one list may well be alike, and rows, code and quotations say a thing again on purpose. */
const ENTRY = /^(?:li|tr|td|th|tbody|pre|blockquote)$/;

/** The blocks in an element: those that stood before, and those that follow there as they do here. */
interface Copied {
  readonly chars: number;
  readonly again: number;
  readonly blocks: number;
  readonly inOrder: number;
}

const NOTHING: Copied = { chars: 0, again: 0, blocks: 0, inOrder: 0 };
const sum = (a: Copied, b: Copied): Copied => ({
  chars: a.chars + b.chars,
  again: a.again + b.again,
  blocks: a.blocks + b.blocks,
  inOrder: a.inOrder + b.inOrder,
});

/** Of the places of a line that a page repeats, only the first ones count. To search more would take time. */
const MOST_PLACES = 20;

/** Tells of each block whether it stood before. */
function compare(blocks: readonly El[], texts: readonly string[]): Map<El, Copied> {
  const compared = new Map<El, Copied>();
  const places = new Map<string, number[]>();
  let original = -1;
  blocks.forEach((el, i) => {
    const text = texts[i] ?? '';
    if (text === '') return;
    const at = places.get(text) ?? [];
    const isNext = (place: number) => place > original && place <= original + 1 + MOST_LEFT_OUT;
    const next = original < 0 ? undefined : at.find(isNext);
    original = next ?? at.at(-1) ?? -1;
    if (at.length === 0) places.set(text, at);
    if (at.length < MOST_PLACES) at.push(i);
    const again = original < 0 ? 0 : text.length;
    compared.set(el, { chars: text.length, again, blocks: 1, inOrder: next === undefined ? 0 : 1 });
  });
  return compared;
}

function isCopy(el: El, { chars, again, blocks, inOrder }: Copied): boolean {
  if (blocks < LEAST_BLOCKS || ENTRY.test(el.tag)) return false;
  if (el.names !== '' && SCREEN.test(el.names) && again >= chars * MOSTLY) return true;
  return again >= chars * NEARLY_ALL && inOrder >= (blocks - 1) * NEARLY_ALL;
}

/**
 * Finds the parts of a page that only say again what stands before them: a second layout for small screens, or for
 * large ones.
 */
export function twins(top: El, blocks: readonly El[], texts: readonly string[]): Set<El> {
  const counts = compare(blocks, texts);
  if ([...counts.values()].reduce((all, { again }) => all + again, 0) < LEAST) return new Set();
  const count = (el: El): Copied => {
    let all = counts.get(el) ?? NOTHING;
    for (const kid of el.kids) if (typeof kid !== 'string') all = sum(all, count(kid));
    counts.set(el, all);
    return all;
  };
  const found = new Set<El>();
  const look = (el: El): void => {
    for (const kid of el.kids) {
      if (typeof kid === 'string') continue;
      const of = counts.get(kid) ?? NOTHING;
      if (of.again < LEAST) continue;
      if (isCopy(kid, of)) found.add(kid);
      else look(kid);
    }
  };
  count(top);
  look(top);
  return found;
}
