import type { Steps } from '../../core/steps.ts';
import { focus, focusArticle } from './focus.ts';
import { measure, prune, type Removed, restore } from './measure.ts';
import { offers } from './offers.ts';
import type { Kind } from './page-kind.ts';
import { otherPosts } from './posts.ts';
import { besidesIn, isSideText, strippable } from './strip.ts';
import { clutter } from './tidy.ts';
import type { El } from './tree.ts';

/** The facts about a page that tell its text from the rest. */
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
function* mainPart(root: El, kind: Kind, removals: Removed[]): Steps<El> {
  // A shelf may hold names and prices alone.
  const weigh = (el: El) => (root.prose > 0 ? el.prose : el.chars);
  const whole = weigh(root);
  const around = strippable(root, kind);
  yield;
  const lost = [...around].reduce((sum, el) => sum + weigh(el), 0);
  const left = [...around].reduce((sum, el) => sum - el.chars, root.chars);
  // A shelf's names and prices are no running text.
  const isShelf = left > Math.max(ENOUGH, root.chars * 0.4);
  if (lost < whole * 0.7 || whole - lost > ENOUGH || isShelf || kind === 'article')
    removals.push(prune(root, (el) => around.has(el), isSideText));
  measure(root);
  yield;
  const besides = offers(root, kind);
  if (besides.size > 0) {
    removals.push(prune(root, (el) => besides.has(el)));
    measure(root);
  }
  yield;
  if (kind === 'article' && root.prose > 0) return focusArticle(root);
  return focus(
    root,
    (el) => el.chars + el.prose,
    undefined,
    kind === 'list' ? Number.POSITIVE_INFINITY : undefined,
    // A product's price and its choices stand beside its name.
    kind === 'product',
  );
}

/** A text of this length stands for its page, however much else the page holds. */
const SURELY_ENOUGH = 3_000;
/** A page with less text around its main part may well be as short as that. */
const HARDLY_ANY = 400;
/** A smaller share of a page is likely not what it is about. */
const LEAST_SHARE = 0.1;

/** Counts the characters of the outermost of some elements. */
const charsOf = (top: El, some: ReadonlySet<El>): number =>
  top.kids.reduce((sum, kid) => {
    if (typeof kid === 'string') return sum;
    return sum + (some.has(kid) ? kid.chars : charsOf(kid, some));
  }, 0);

/** Tells whether looking for the main part has lost what the page is about. */
function losesTooMuch({ top, dropped }: Part, before: number): boolean {
  // A part that is left out may hold others.
  const kept = top.chars - charsOf(top, dropped);
  return before > HARDLY_ANY && kept < SURELY_ENOUGH && kept < before * LEAST_SHARE;
}

/**
 * Finds the text of a page. `name` is asked about the page without its frame, because menus tell nothing
 * about it. If little would be left of the page, it gives back first what was taken out by name, then all.
 */
export function* mainText(
  root: El,
  { whole = false }: { readonly whole?: boolean },
  name: (framed: El) => Named,
): Steps<Part> {
  const visible = root.chars;
  const frame = strippable(root, 'frame');
  yield;
  const framing = prune(root, (el) => frame.has(el));
  measure(root);
  yield;
  const named = name(root);
  yield;
  const { kind, title, byline } = named;
  if (whole) return all(root, named, [framing]);
  const removals: Removed[] = [];
  const others = kind === 'article' ? otherPosts(root) : new Set<El>();
  if (others.size > 0) {
    removals.push(prune(root, (el) => others.has(el)));
    measure(root);
  }
  const own = root.chars - besidesIn(root);
  yield;
  const top = yield* mainPart(root, kind, removals);
  yield;
  const main: Part = { top, dropped: clutter(top, title ?? '', kind, byline), named, reading: 'main' };
  if (!losesTooMuch(main, own) && !losesTooMuch(main, visible * MOSTLY_FRAME)) return main;
  yield;
  restore(removals);
  measure(root);
  yield;
  const framed: Part = {
    top: root,
    dropped: clutter(root, title ?? '', kind, byline),
    named,
    reading: 'whole page',
  };
  return losesTooMuch(framed, visible * MOSTLY_FRAME) ? all(root, named, [framing]) : framed;
}

/** Menus and footers may be this much of a page. More is likely its text under a name of theirs. */
const MOSTLY_FRAME = 0.3;

function all(root: El, named: Named, removals: readonly Removed[]): Part {
  restore(removals);
  measure(root);
  return { top: root, dropped: new Set(), named, reading: 'whole page' };
}
