import { plainText, visit } from './measure.ts';
import { seenCharacters } from './text.ts';
import type { El } from './tree.ts';

export interface Link {
  readonly text: string;
  readonly href: string;
  /** `content` if it stands in the page's own text, `around` if in menus, footers and asides. */
  readonly where: 'content' | 'around';
}

export interface Picture {
  readonly src: string;
  readonly alt: string;
  readonly where: 'content' | 'around';
}

const MOST_LINKS = 400;
const MOST_PICTURES = 150;
const LONGEST = 200;

const short = (text: string) =>
  seenCharacters(text.slice(0, LONGEST * 10))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST);

/** A link around much of a page, or around other links, has no text of its own. */
const LONGEST_LINKED = 5_000;

/** Lists all elements of a kind, with those that only Markdown shows. */
function all(root: El, tag: string): El[] {
  const found: El[] = [];
  const look = (top: El) =>
    visit(top, (el) => {
      if (el.tag === tag) found.push(el);
      if (el.extra) look(el.extra);
      return undefined;
    });
  look(root);
  return found;
}

/** The links and pictures of a page before anything was taken out of it. */
export interface Seen {
  readonly links: readonly El[];
  readonly pictures: readonly El[];
}

export const seenIn = (root: El): Seen => ({ links: all(root, 'a'), pictures: all(root, 'img') });

/** Sorts elements into those of the page's own text and those around it. */
function placed(seen: readonly El[], inside: ReadonlySet<El>): [El, 'content' | 'around'][] {
  const sorted = seen.map((el): [El, 'content' | 'around'] => [el, inside.has(el) ? 'content' : 'around']);
  return [
    ...sorted.filter(([, where]) => where === 'content'),
    ...sorted.filter(([, where]) => where === 'around'),
  ];
}

/** Lists the elements of a kind in the text, without what the text leaves out. */
function insideOf(top: El, tag: string, dropped: ReadonlySet<El>): Set<El> {
  const inside = new Set<El>();
  const look = (from: El) =>
    visit(from, (el) => {
      if (dropped.has(el) && el.tag !== 'figure') return false;
      if (el.tag === tag) inside.add(el);
      if (el.extra) look(el.extra);
      return undefined;
    });
  look(top);
  return inside;
}

type Address = (href: string | undefined) => string;

/** Lists a page's links once each, those of its text first. */
export function linksOf(seen: Seen, top: El, dropped: ReadonlySet<El>, address: Address): Link[] {
  const links = new Map<string, Link>();
  for (const [el, where] of placed(seen.links, insideOf(top, 'a', dropped))) {
    if (links.size >= MOST_LINKS) break;
    const href = address(el.attrs.href);
    if (href === '' || href.startsWith('#')) continue;
    const text = short(
      (el.chars < LONGEST_LINKED && plainText(el)) || el.attrs['aria-label'] || el.attrs.title || '',
    );
    const before = links.get(href);
    // A picture and a heading often lead to the same page. The heading says more.
    if (!before || (before.text === '' && before.where === where)) links.set(href, { text, href, where });
  }
  return [...links.values()];
}

/** Lists a page's pictures once each, those of its text first. */
export function picturesOf(seen: Seen, top: El, dropped: ReadonlySet<El>, address: Address): Picture[] {
  const pictures = new Map<string, Picture>();
  for (const [el, where] of placed(seen.pictures, insideOf(top, 'img', dropped))) {
    if (pictures.size >= MOST_PICTURES) break;
    const src = address(el.attrs['data-src'] || el.attrs['data-lazy-src'] || el.attrs.src);
    if (src !== '' && !pictures.has(src)) pictures.set(src, { src, alt: short(el.attrs.alt ?? ''), where });
  }
  return [...pictures.values()];
}
