import { DomHandler, Parser } from 'htmlparser2';
import { type Feed, type FeedItem, isoOf, MAX_FEED_ITEMS, shortened } from './feed.ts';

/** The part of an entry's text that is read. A page may call itself a feed and be one huge entry. */
const MAX_HTML_CHARS = 50_000;

/**
 * The deepest nesting that is read. At each closing tag without an opening one, a parser walks past all open
 * elements.
 */
export const MAX_FEED_DEPTH = 100;

class TooDeep extends Error {
  override name = 'TooDeep';
}

/** Builds the tree, and stops where it grows too deep. */
class ShallowTree extends DomHandler {
  #depth = 0;

  override onopentag(name: string, attributes: Record<string, string>): void {
    if (++this.#depth > MAX_FEED_DEPTH) throw new TooDeep();
    super.onopentag(name, attributes);
  }

  override onclosetag(): void {
    this.#depth--;
    super.onclosetag();
  }
}

/** An element or a text of a feed. */
interface Node {
  readonly type: string;
  readonly name?: string;
  readonly data?: string;
  readonly attribs?: Readonly<Record<string, string>>;
  readonly children?: readonly Node[];
}

/** Reads Atom and every version of RSS. Leaves out what is broken. */
export function readXmlFeed(xml: string): Feed {
  const tree = new ShallowTree();
  const isWhole = readsToTheEnd(new Parser(tree, { xmlMode: true }), xml);
  const document: Node = tree.root;
  const root = elementsOf(document)[0] ?? document;
  const channel = child(root, 'channel') ?? root;
  // RSS 1.0 keeps its items beside the channel, other versions inside it.
  const holder = elementsOf(channel).some(isItem) ? channel : root;
  const nodes = elementsOf(holder).filter(isItem);
  return {
    title: plainText(childText(channel, 'title')) || null,
    byline: authorOf(channel) || null,
    updated: isoOf(childText(channel, 'updated', 'lastbuilddate', 'pubdate', 'dc:date')),
    lang: childText(channel, 'language', 'dc:language') || root.attribs?.['xml:lang'] || null,
    about: plainText(childText(channel, 'description', 'subtitle')),
    items: nodes.slice(0, MAX_FEED_ITEMS).map(itemOf),
    more: Math.max(0, nodes.length - MAX_FEED_ITEMS),
    isCut: !isWhole,
  };
}

/**
 * Parses a text, and tells whether the parser reached its end. If not, the parser has reported everything up
 * to the depth limit.
 */
function readsToTheEnd(parser: Parser, text: string): boolean {
  try {
    parser.end(text);
    return true;
  } catch (error) {
    if (error instanceof TooDeep) return false;
    throw error;
  }
}

function itemOf(node: Node): FeedItem {
  return {
    title: plainText(childText(node, 'title')),
    url: linkOf(node),
    date: isoOf(childText(node, 'published', 'pubdate', 'updated', 'dc:date')),
    author: authorOf(node),
    summary: shortened(plainText(childText(node, 'summary', 'description', 'content:encoded', 'content'))),
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

/**
 * Gives the whole text of an element. It does not recurse, because a feed may be nested as deep as it is
 * long.
 */
function contentOf(node: Node | undefined): string {
  let text = '';
  const left: Node[] = node ? [node] : [];
  for (let next = left.pop(); next; next = left.pop()) {
    if (next.type === 'text') text += next.data ?? '';
    for (const each of (next.children ?? []).toReversed()) left.push(each);
  }
  return text.trim();
}

/** Gives the text of the first of these children that has any. */
function childText(node: Node, ...names: readonly string[]): string {
  for (const name of names) {
    const text = contentOf(child(node, name));
    if (text) return text;
  }
  return '';
}

function authorOf(node: Node): string {
  const author = child(node, 'author');
  return plainText(
    (author && (childText(author, 'name') || contentOf(author))) || childText(node, 'dc:creator'),
  );
}

function linkOf(node: Node): string {
  const links = elementsOf(node).filter(({ name }) => name?.toLowerCase() === 'link');
  const page = links.find(({ attribs }) => (attribs?.rel ?? 'alternate') === 'alternate') ?? links[0];
  const guid = child(node, 'guid');
  const fallback = guid?.attribs?.isPermaLink === 'false' ? '' : childText(node, 'guid');
  const url = page?.attribs?.href || contentOf(page) || fallback;
  return /^https?:\/\/\S+$/.test(url) ? url : '';
}

/** Gives the words of a piece of HTML, or of a plain text. */
export function plainText(html: string): string {
  if (!/[<&]/.test(html)) return html.trim();
  let text = '';
  let hidden = 0;
  let depth = 0;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (++depth > MAX_FEED_DEPTH) throw new TooDeep();
      if (hidden > 0 || HIDDEN.has(name) || 'hidden' in attributes) hidden += VOID.has(name) ? 0 : 1;
      if (name === 'br') text += '\n';
    },
    ontext: (said) => {
      if (hidden === 0) text += said;
    },
    onclosetag: (name) => {
      depth--;
      if (hidden > 0 && !VOID.has(name)) hidden -= 1;
      if (BLOCKS.has(name)) text += '\n';
    },
  });
  readsToTheEnd(parser, html.slice(0, MAX_HTML_CHARS));
  return text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
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
