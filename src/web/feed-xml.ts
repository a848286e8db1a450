import { Parser, parseDocument } from 'htmlparser2';
import { type Feed, type FeedItem, isoOf, MAX_FEED_ITEMS, shortened } from './feed.ts';

/** As much of one entry's text as is looked at; a page may call itself a feed and be one entry. */
const MAX_HTML_CHARS = 50_000;

/** An element of a feed, or a text in one. */
interface Node {
  readonly type: string;
  readonly name?: string;
  readonly data?: string;
  readonly attribs?: Readonly<Record<string, string>>;
  readonly children?: readonly Node[];
}

/** Reads RSS of every version and Atom; what is broken in it is left out. */
export function readXmlFeed(xml: string): Feed {
  const document: Node = parseDocument(xml, { xmlMode: true });
  const root = elementsOf(document)[0] ?? document;
  const channel = child(root, 'channel') ?? root;
  // RSS 1.0 keeps its items beside the channel, the others inside it.
  const holder = elementsOf(channel).some(isItem) ? channel : root;
  const nodes = elementsOf(holder).filter(isItem);
  return {
    title: plainText(textOf(channel, 'title')) || null,
    byline: authorOf(channel) || null,
    updated: isoOf(textOf(channel, 'updated', 'lastbuilddate', 'pubdate', 'dc:date')),
    lang: textOf(channel, 'language', 'dc:language') || root.attribs?.['xml:lang'] || null,
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

function isItem({ name }: Node): boolean {
  return name === 'item' || name === 'entry';
}

function elementsOf({ children = [] }: Node): Node[] {
  return children.filter(({ name }) => name !== undefined && !name.startsWith('?') && !name.startsWith('!'));
}

function child(node: Node, name: string): Node | undefined {
  return elementsOf(node).find((each) => each.name?.toLowerCase() === name);
}

/** All that an element says. Walked without recursion: a feed may be nested as deep as it is long. */
function contentOf(node: Node | undefined): string {
  let text = '';
  const left: Node[] = node ? [node] : [];
  for (let next = left.pop(); next; next = left.pop()) {
    if (next.type === 'text') text += next.data ?? '';
    left.push(...(next.children ?? []).toReversed());
  }
  return text.trim();
}

/** The first of these children that says anything. */
function textOf(node: Node, ...names: readonly string[]): string {
  for (const name of names) {
    const text = contentOf(child(node, name));
    if (text) return text;
  }
  return '';
}

function authorOf(node: Node): string {
  const author = child(node, 'author');
  return plainText((author && (textOf(author, 'name') || contentOf(author))) || textOf(node, 'dc:creator'));
}

function linkOf(node: Node): string {
  const links = elementsOf(node).filter(({ name }) => name?.toLowerCase() === 'link');
  const page = links.find(({ attribs }) => (attribs?.rel ?? 'alternate') === 'alternate') ?? links[0];
  const guid = child(node, 'guid');
  const fallback = guid?.attribs?.isPermaLink === 'false' ? '' : textOf(node, 'guid');
  const url = page?.attribs?.href || contentOf(page) || fallback;
  return /^https?:\/\/\S+$/.test(url) ? url : '';
}

/** The words of a piece of HTML, or of a text that is none. */
export function plainText(html: string): string {
  if (!/[<&]/.test(html)) return html.trim();
  let text = '';
  let hidden = 0;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (hidden > 0 || HIDDEN.has(name) || 'hidden' in attributes) hidden += VOID.has(name) ? 0 : 1;
      if (name === 'br') text += '\n';
    },
    ontext: (said) => {
      if (hidden === 0) text += said;
    },
    onclosetag: (name) => {
      if (hidden > 0 && !VOID.has(name)) hidden -= 1;
      if (BLOCKS.has(name)) text += '\n';
    },
  });
  parser.end(html.slice(0, MAX_HTML_CHARS));
  return text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
}

const HIDDEN = new Set(['script', 'style', 'template']);
const BLOCKS = new Set(['p', 'div', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'tr', 'blockquote']);
const VOID = new Set([
  'br',
  'img',
  'hr',
  'input',
  'meta',
  'link',
  'area',
  'base',
  'col',
  'embed',
  'source',
  'track',
  'wbr',
]);
