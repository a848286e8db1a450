import { changed } from './measure.ts';
import type { El } from './tree.ts';

/** A mark that a site's software should have replaced: `[gallery ids="1,2"]`, `[/vc_row]`. */
const MARK =
  /\[(\/?)([a-z][a-z0-9_-]{1,40})((?:\s{1,9}[a-z][a-z0-9_-]{0,40}=(?:"[^"[\]]{0,300}"|'[^'[\]]{0,300}'|[^\s"'[\]]{1,100})){0,20})\s{0,9}\/?\]/gi;
/** Code may be about such marks. */
const CODE = new Set(['pre', 'code', 'kbd', 'samp', 'textarea']);
/** More names than a site's software knows. */
const MOST_NAMES = 200;

/** Visits the texts outside of code that may hold a mark. */
function visitMarked(el: El, see: (el: El, at: number, text: string) => void): void {
  el.kids.forEach((kid, i) => {
    if (typeof kid !== 'string') {
      if (!CODE.has(kid.tag)) visitMarked(kid, see);
    } else if (kid.includes('[')) see(el, i, kid);
  });
}

/**
 * Takes out marks that were left in the page's text. One with values is a mark for sure; one without, such as
 * `[sic]`, is one only where the same name stands with values or has several words, as in `[vc_column]`.
 */
export function dropShortcodes(root: El): void {
  const names = new Set<string>();
  visitMarked(root, (_, __, text) => {
    for (const [, , name = '', values] of text.matchAll(MARK))
      if ((values || name.includes('_')) && names.size < MOST_NAMES) names.add(name.toLowerCase());
  });
  if (names.size === 0) return;
  visitMarked(root, (el, at, text) => {
    el.kids[at] = text.replace(MARK, (mark, _, name: string) => (names.has(name.toLowerCase()) ? '' : mark));
    changed(el);
  });
}
