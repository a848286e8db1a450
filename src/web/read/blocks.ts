import { BLOCK, plainText, visit } from './measure.ts';
import type { El } from './tree.ts';

/** Lists blocks with no blocks inside, in reading order: paragraphs, items, headings, cells. */
export function leaves(top: El, dropped: ReadonlySet<El> = new Set(), most = Number.POSITIVE_INFINITY): El[] {
  const found: El[] = [];
  const walk = (el: El): boolean => {
    let inner = false;
    for (const kid of el.kids) {
      if (typeof kid === 'string' || kid.tag === 'br' || dropped.has(kid) || found.length >= most) continue;
      if (BLOCK.has(kid.tag)) inner = true;
      if (walk(kid)) inner = true;
    }
    if (!inner && BLOCK.has(el.tag) && el !== top) found.push(el);
    return inner;
  };
  walk(top);
  return found;
}

/** Finds the footers, menus and asides that belong to the page and not to an article in it. */
export function surroundings(root: El): Set<El> {
  const found = new Set<El>();
  visit(root, (el) => {
    const { tag } = el;
    const isBeside = tag === 'footer' || tag === 'nav' || tag === 'aside';
    if (isBeside) found.add(el);
    return tag !== 'article' && !isBeside;
  });
  return found;
}

const FURTHER = 3_000;
const ABOVE = 8;
const BELOW = 14;

/**
 * Lists the short lines around a page's main heading, where authors and dates stand. Without a heading, lists
 * the first lines.
 */
export function headLines(root: El): { el: El; text: string }[] {
  const all = leaves(root, surroundings(root), FURTHER).filter((el) => el.chars > 0);
  const heading = all.findIndex((el) => el.tag === 'h1' || el.up?.tag === 'h1');
  const near = heading < 0 ? all.slice(0, BELOW) : all.slice(Math.max(0, heading - ABOVE), heading + BELOW);
  const lines = near
    .filter((el) => el.chars > 2 && el.chars < 160)
    .map((el) => ({ el, text: plainText(el) }));
  // Below a heading is the likelier place.
  const above = heading < 0 ? 0 : lines.findIndex(({ el }) => el === all[heading]);
  return above > 0 ? [...lines.slice(above), ...lines.slice(0, above).reverse()] : lines;
}
