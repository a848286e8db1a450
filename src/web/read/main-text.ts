import { focus, focusArticle } from './focus.ts';
import { measure, prune, type Removed, restore } from './measure.ts';
import { offers } from './offers.ts';
import type { Kind } from './page-kind.ts';
import { isSideText, strippable } from './strip.ts';
import { clutter } from './tidy.ts';
import type { El } from './tree.ts';

/** What has to be known of a page to tell its text from the rest. */
export interface Named {
  readonly kind: Kind;
  readonly title: string | null;
  readonly byline: string | null;
}

/** The part of a page that is its text, and what is left out inside it. */
export interface Part {
  readonly top: El;
  readonly dropped: ReadonlySet<El>;
  readonly named: Named;
  readonly reading: 'main' | 'whole page';
}

/** Running text of this length is worth keeping alone, however much else a page holds. */
const ENOUGH = 300;

/** Takes out what does not belong to this kind of page, and finds the element with the text. */
function mainPart(root: El, kind: Kind, removals: Removed[]): El {
  const whole = root.prose;
  const around = strippable(root, kind);
  const lost = [...around].reduce((sum, el) => sum + el.prose, 0);
  if (lost < whole * 0.7 || whole - lost > ENOUGH || kind === 'article')
    removals.push(prune(root, (el) => around.has(el), isSideText));
  measure(root);
  const besides = offers(root, kind);
  if (besides.size > 0) {
    removals.push(prune(root, (el) => besides.has(el)));
    measure(root);
  }
  if (kind === 'article' && root.prose > 0) return focusArticle(root);
  return focus(root, (el) => el.chars + el.prose);
}

/**
 * Finds the text of a page. `name` is asked about the page without its frame, because menus tell nothing
 * about it.
 */
export function mainText(
  root: El,
  { whole = false }: { readonly whole?: boolean },
  name: (framed: El) => Named,
): Part {
  const removals: Removed[] = [];
  const frame = strippable(root, 'frame');
  removals.push(prune(root, (el) => frame.has(el)));
  measure(root);
  const named = name(root);
  if (whole) return all(root, named, removals);
  const framed = { chars: root.chars, prose: root.prose };
  const top = mainPart(root, named.kind, removals);
  const dropped = clutter(top, named.title ?? '', named.kind, named.byline);
  void framed;
  return { top, dropped, named, reading: 'main' };
}

function all(root: El, named: Named, removals: readonly Removed[]): Part {
  restore(removals);
  measure(root);
  return { top: root, dropped: new Set(), named, reading: 'whole page' };
}
