import { linkShare, plainText, visit } from './measure.ts';
import type { El } from './tree.ts';

/** What shops and lists put around their things: means to choose among them, and data for programs. */

const PART =
  '(?:[-_]{1,2}(?:panel|bar|list|group|groups|options|sidebar|menu|wrapper|container|content|section|form|nav|controls|drawer|values?|label|title|header|body))?';
/** Names of what narrows a list down, puts it in order or picks a variant. Each has to be a whole name. */
const CHOICE = new RegExp(
  `(?:^|\\s)(?:\\S+[-_])?(?:filters?|facets?|facet-?(?:values?|items?)|refinements?|sort-?by|sort-?order|swatch(?:es)?|swatch-?list|(?:colou?r|size|variant|currency)-?(?:swatches|selector|picker|switcher|options))${PART}(?:\\s|$)`,
);
/** A menu of choices says no sentences, and is no large part of its page. */
const MOST = 0.4;

const entriesOf = (el: El): El[] =>
  el.kids.filter((kid): kid is El => typeof kid !== 'string' && kid.chars > 0);

const AMOUNT = /^[^\d]{0,12}\d[\d.,\s]*[^\d]{0,12}$/;
const CURRENCY = /\b[A-Z]{3}\b|[$€£¥₹]/;
const LEAST_CURRENCIES = 4;
/** Recognises one price in many currencies: each entry names a currency of its own, and an amount. */
function isPriceAbroad(el: El): boolean {
  if ((el.tag !== 'ul' && el.tag !== 'ol') || el.chars > 1_500) return false;
  const lines = entriesOf(el).map(plainText);
  if (lines.length < LEAST_CURRENCIES || !lines.every((line) => AMOUNT.test(line))) return false;
  const named = new Set(
    lines.map((line) => /\b[A-Z]{3}\b/.exec(line)?.[0] ?? CURRENCY.exec(line)?.[0] ?? ''),
  );
  return named.size === lines.length && !named.has('');
}

/** Recognises the choices of a shop or a list, which are for doing and not for reading. */
export const isChoice = (el: El, root: El): boolean =>
  (el.names !== '' &&
    el.prose === 0 &&
    el.chars < root.chars * MOST &&
    CHOICE.test(el.names) &&
    !isCard(el)) ||
  isPriceAbroad(el);

/** A thing's title and price stand among its first elements. */
const MOST_LOOKED_AT = 120;

/** A thing on a shelf may bear the name of the filter that shows it. It has a title that leads to it, or a price. */
function isCard(el: El): boolean {
  let looked = 0;
  let found = false;
  visit(el, (inner) => {
    found ||= (/^h[1-6]$/.test(inner.tag) && linkShare(inner) > 0.5) || /(?:^|[\s_-])price/.test(inner.names);
    return !found && ++looked < MOST_LOOKED_AT;
  });
  return found;
}

/** A name that programmers gave: `cat_thumb`, and an address alone, such as that of a picture. */
const KEY = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?:[ /][^.!?]{0,40})?:?$/i;
const ASSET = /^(?:https?:)?\/\/\S+\.(?:jpe?g|png|gif|webp|svg|css|js|json)(?:\?\S*)?$/i;

/** Longer texts are no names. It also keeps the patterns above from taking long. */
const LONGEST = 2_000;

/** Recognises a line that only programs read. */
export const isForPrograms = (text: string): boolean =>
  text.length <= LONGEST && (KEY.test(text) || ASSET.test(text));
