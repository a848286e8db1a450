import { DOMParser, parseHTML } from 'linkedom';
import { type Feed, type FeedItem, isoOf, MAX_FEED_ITEMS, shortened } from './feed.ts';

/** As much of one entry's text as is looked at; a page may call itself a feed and be one entry. */
const MAX_HTML_CHARS = 50_000;

/** What is used of linkedom's elements: its own types promise a whole browser. */
interface Node {
  readonly localName: string;
  readonly textContent: string | null;
  readonly children: Iterable<Node>;
  getAttribute(name: string): string | null;
}

/** Reads RSS of every version and Atom; what is broken in it is left out. */
export function readXmlFeed(xml: string): Feed {
  const document = new DOMParser().parseFromString(xml, 'text/xml');
  const root = (document as unknown as { documentElement: Node }).documentElement;
  const channel = child(root, 'channel') ?? root;
  // RSS 1.0 keeps its items beside the channel, the others inside it.
  const holder = [...channel.children].some((node) => isItem(node)) ? channel : root;
  const nodes = [...holder.children].filter(isItem);
  return {
    title: plainText(textOf(channel, 'title')) || null,
    byline: authorOf(channel) || null,
    updated: isoOf(textOf(channel, 'updated', 'lastbuilddate', 'pubdate', 'dc:date')),
    lang: textOf(channel, 'language', 'dc:language') || root.getAttribute('xml:lang') || null,
    about: plainText(textOf(channel, 'description', 'subtitle')),
    items: nodes.slice(0, MAX_FEED_ITEMS).map(itemOf),
    more: Math.max(0, nodes.length - MAX_FEED_ITEMS),
  };
}

function itemOf(node: Node): FeedItem {
  return {
    title: plainText(textOf(node, 'title')),
    url: linkOf(node),
    date: isoOf(textOf(node, 'published', 'pubdate', 'updated', 'dc:date')),
    author: authorOf(node),
    summary: shortened(plainText(textOf(node, 'summary', 'description', 'content:encoded', 'content'))),
  };
}

function isItem({ localName }: Node): boolean {
  return localName === 'item' || localName === 'entry';
}

function child(node: Node, name: string): Node | undefined {
  for (const each of node.children) if (each.localName.toLowerCase() === name) return each;
  return undefined;
}

/** The first of these children that says anything. */
function textOf(node: Node, ...names: readonly string[]): string {
  for (const name of names) {
    const text = child(node, name)?.textContent?.trim();
    if (text) return text;
  }
  return '';
}

function authorOf(node: Node): string {
  const author = child(node, 'author');
  return plainText(
    (author && (textOf(author, 'name') || author.textContent?.trim())) || textOf(node, 'dc:creator'),
  );
}

function linkOf(node: Node): string {
  const links = [...node.children].filter(({ localName }) => localName.toLowerCase() === 'link');
  const page = links.find((link) => (link.getAttribute('rel') ?? 'alternate') === 'alternate') ?? links[0];
  const guid = child(node, 'guid');
  const fallback = guid?.getAttribute('isPermaLink') === 'false' ? '' : textOf(node, 'guid');
  const url = page?.getAttribute('href') || page?.textContent?.trim() || fallback;
  return /^https?:\/\/\S+$/.test(url) ? url : '';
}

/** The words of a piece of HTML, or of a text that is none. */
export function plainText(html: string): string {
  if (!/[<&]/.test(html)) return html.trim();
  const cut = html
    .slice(0, MAX_HTML_CHARS)
    .replace(/<\/(?:p|div|li|h\d|tr|blockquote)>|<br\s*\/?>/gi, '\n$&');
  const { document } = parseHTML(`<!doctype html><html><body>${cut}</body></html>`);
  for (const hidden of document.querySelectorAll('script, style, template, [hidden]')) hidden.remove();
  return (document.body.textContent ?? '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
}
