import { leaves } from './blocks.ts';
import { titlesText } from './buttons.ts';
import { linkShare, plainText, visit } from './measure.ts';
import type { Kind } from './page-kind.ts';
import { ABOUT_LINE, isAboutAuthor, isCaption, isFurniture } from './phrases.ts';
import { isForPrograms } from './shelf.ts';
import type { El } from './tree.ts';
import { twins } from './twins.ts';

const HEADING = /^h[1-6]$/;
const SHORTEST_HEADING = 30;
/** The last blocks of an article, where the site introduces the author. */
const LAST = 6;
const bare = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Tells whether an element stands in a list item. The item's name often links to it. */
const inItem = (el: El | null, levels = 3): boolean =>
  el !== null && levels > 0 && (el.tag === 'li' || inItem(el.up, levels - 1));

/** A link with a price says what something costs, wherever it leads. */
const PRICED = /[$€£¥₹]\s?\d|\d\s?[€£¥₹]/;

/** Recognises a short piece of an article that only links elsewhere. */
const isPointer = (el: El, text: string): boolean =>
  !inItem(el) && !HEADING.test(el.tag) && linkShare(el) > 0.85 && text.length < 250 && !PRICED.test(text);

/** Recognises a list whose items all link elsewhere. */
const pointsElsewhere = (el: El): boolean => (el.tag === 'ul' || el.tag === 'ol') && linkShare(el) > 0.8;

const holds = (el: El, tags: RegExp): boolean =>
  el.kids.some((kid) => typeof kid !== 'string' && (tags.test(kid.tag) || holds(kid, tags)));

/** Recognises a picture with its caption. A figure around a table, code or a quotation is none. */
const isPicture = (el: El, all: number): boolean =>
  el.tag === 'figcaption' ||
  (el.tag === 'figure' && el.prose < all * 0.2 && !holds(el, /^(?:table|pre|blockquote)$/));

/** Finds what an article's element holds besides its text: pictures, lists of links, buttons. */
function parts(top: El): Set<El> {
  const dropped = new Set<El>();
  // A text of mostly links is about the pages it links to.
  const isIndex = linkShare(top) > 0.5 && top.prose < top.chars * 0.15;
  const look = (el: El) => {
    for (const kid of el.kids) {
      if (typeof kid === 'string') continue;
      if (
        isPicture(kid, top.prose) ||
        (!isIndex && pointsElsewhere(kid)) ||
        (kid.tag === 'button' && !titlesText(kid))
      )
        dropped.add(kid);
      else look(kid);
    }
  };
  look(top);
  return dropped;
}

/**
 * Shorter lines may say the same of two things: a shop names each thing twice, beside its picture and under
 * it.
 */
const SAID_TWICE = 40;
const NAMED_TWICE = 25;
const TIME = /^time$/;

/**
 * Finds blocks that repeat an earlier one word for word. A page often holds a second copy for small screens.
 */
function repeats(blocks: readonly El[], texts: readonly string[], kind: Kind): El[] {
  const said = new Set<string>();
  const shortest = kind === 'product' || kind === 'list' ? NAMED_TWICE : SAID_TWICE;
  const times = new Map<string, number>();
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1);
  let last = '';
  return blocks.filter((el, i) => {
    const text = texts[i] ?? '';
    // Many forums date a post twice: for small screens and for large ones.
    if (kind === 'thread' && text !== '' && text === last && holds(el, TIME)) return true;
    if (text !== '') last = text;
    if (text.length < shortest) return false;
    // What is said of each of several things belongs to each.
    if (kind !== 'thread' && el.prose > 0 && (times.get(text) ?? 0) > 2) return false;
    if (said.has(text)) return true;
    said.add(text);
    return false;
  });
}

/** The longest line that names the speaker of a quotation. */
const LONGEST_SPEAKER = 100;
const isSpeaker = (el: El): boolean => el.chars < LONGEST_SPEAKER && plainText(el).endsWith(':');

/**
 * Finds quotations that repeat an earlier post, so that only the line with the speaker's name is left of them. The
 * answer below would read as the speaker's words.
 */
function spentQuotes(top: El, dropped: ReadonlySet<El>): El[] {
  const found: El[] = [];
  visit(top, (el) => {
    if (el.tag !== 'blockquote') return true;
    const left = leaves(el).filter((each) => each.chars > 0);
    const rest = left.filter((each) => !dropped.has(each));
    if (rest.length < left.length && rest.every(isSpeaker)) found.push(el);
    return false;
  });
  return found;
}

/** A word or two that occur this often on a page are its buttons and badges. */
const OFTEN = 4;
const NEARLY_EVERY = 0.9;

/** Finds short lines without a number on nearly every card: they say nothing about any one card. */
function labels(blocks: readonly El[], texts: readonly string[]): El[] {
  const times = new Map<string, number>();
  for (const text of texts)
    if (text.length > 2 && text.length < 40 && !/\d/.test(text)) times.set(text, (times.get(text) ?? 0) + 1);
  const most = [...times.values()].reduce((a, b) => Math.max(a, b), 0);
  const least = Math.max(OFTEN, most * NEARLY_EVERY);
  return blocks.filter((el, i) => {
    const text = texts[i] ?? '';
    if (/^(?:pre|td|th|h[1-6])$/.test(el.tag) || text.endsWith(':')) return false;
    return text.length > 2 && (times.get(text) ?? 0) >= least;
  });
}

/** Finds headings at the end whose content was taken out. */
function lastHeadings(blocks: readonly El[], dropped: ReadonlySet<El>): El[] {
  const left = blocks.filter((el) => !dropped.has(el) && el.chars > 0);
  const end = left.findLastIndex((el) => !HEADING.test(el.tag));
  return left.slice(end + 1);
}

/** Text that a designer left for an author to replace. A page that shows it once may be about it. */
const FILLER = /^.{0,60}\blorem ipsum dolor sit amet\b/i;
function fillers(blocks: readonly El[], texts: readonly string[]): El[] {
  const found = blocks.filter((el, i) => el.tag !== 'pre' && FILLER.test(texts[i] ?? ''));
  return found.length > 1 ? found : [];
}

/** Finds what stands besides the text in the element that holds it, for this kind of page. */
export function clutter(top: El, title: string, kind: Kind, byline: string | null = null): Set<El> {
  const dropped = kind === 'article' ? parts(top) : new Set<El>();
  const blocks = leaves(top, dropped);
  const texts = blocks.map(plainText);
  if (kind !== 'docs' && kind !== 'thread') for (const el of twins(top, blocks, texts)) dropped.add(el);
  const isShelf = kind === 'product' || kind === 'list' || kind === 'other';
  let begun = false;
  blocks.forEach((el, i) => {
    const text = texts[i] ?? '';
    // A heading over text of its own is one, even if it begins like a request to the reader.
    const isHeading =
      HEADING.test(el.tag) && text.length > SHORTEST_HEADING && (blocks[i + 1]?.prose ?? 0) > 0;
    const furniture = !isHeading && (isFurniture(text, kind) || (isShelf && isForPrograms(text)));
    if (el.prose > 0 && !furniture) begun = true;
    if (text === '' || /^(?:pre|td|th)$/.test(el.tag)) return;
    if (furniture) dropped.add(el);
    if (kind !== 'article') return;
    if (isCaption(text) || (i > blocks.length - LAST && isAboutAuthor(text, byline))) dropped.add(el);
    const above = !begun && !HEADING.test(el.tag) && text.length < 100 && ABOUT_LINE.test(text);
    if (above || isPointer(el, text) || (HEADING.test(el.tag) && bare(text) === bare(title))) dropped.add(el);
  });
  if (kind !== 'article' && kind !== 'docs') for (const el of repeats(blocks, texts, kind)) dropped.add(el);
  if (kind === 'thread') for (const el of spentQuotes(top, dropped)) dropped.add(el);
  if (kind !== 'article' && kind !== 'thread' && kind !== 'docs')
    for (const el of labels(blocks, texts)) dropped.add(el);
  if (kind !== 'docs' && kind !== 'thread') for (const el of fillers(blocks, texts)) dropped.add(el);
  if (kind === 'article') for (const el of lastHeadings(blocks, dropped)) dropped.add(el);
  return dropped;
}
