import { seenCharacters } from '../text.ts';
import type { Page } from '../tree.ts';

/** A JSON-LD node: an object of unknown shape. */
export type LdNode = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is LdNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MOST_NODES = 400;
const LONGEST_VALUE = 2_000;
/** A hostile page nests lists in lists without an end. */
const DEEPEST_VALUE = 10;

/** Parses script text in which a CMS left line ends and comment marks that JSON refuses. */
function parseLoosely(text: string): unknown {
  const bare = text
    .replace(/^\s*(?:<!--|\/\*<!\[CDATA\[\*\/|\/\/\s*<!\[CDATA\[)/, '')
    .replace(/(?:-->|\/\*\]\]>\*\/|\/\/\s*\]\]>)\s*$/, '')
    .replace(/;\s*$/, '');
  try {
    return JSON.parse(bare);
  } catch {
    try {
      return JSON.parse(
        (/^\s*[[{]\s*&quot;/.test(bare) ? bare.replaceAll('&quot;', '"') : bare)
          .replace(/\p{Cc}+/gu, ' ')
          .replace(/,\s*([}\]])/g, '$1'),
      );
    } catch {
      // Broken metadata counts as none.
      return null;
    }
  }
}

/** Lists all JSON-LD nodes of a page, outermost first, through any wrapping. */
export function ldNodes(scripts: readonly string[]): LdNode[] {
  const found: LdNode[] = [];
  const gather = (value: unknown, depth: number): void => {
    if (depth > 4 || found.length >= MOST_NODES) return;
    if (Array.isArray(value)) for (const each of value) gather(each, depth + 1);
    else if (isNode(value)) {
      found.push(value);
      gather(value['@graph'], depth + 1);
      gather(value.mainEntity, depth + 1);
      gather(value.mainEntityOfPage, depth + 1);
      // A blog that names one post is that post's page.
      if (Array.isArray(value.blogPost) && value.blogPost.length === 1) gather(value.blogPost, depth + 1);
    }
  };
  for (const script of scripts) if (script.length < 500_000) gather(parseLoosely(script), 0);
  return found;
}

export const ldTypes = (node: LdNode): string[] =>
  [node['@type']].flat().filter((type): type is string => typeof type === 'string');

/** Recognises nodes that describe the page's own text. */
export const isWriting = (node: LdNode): boolean =>
  ldTypes(node).some((type) =>
    /(?:Article|BlogPosting|Posting|Report|NewsArticle|Review|Recipe|HowTo)$/.test(type),
  );

export const isPageNode = (node: LdNode): boolean =>
  ldTypes(node).some((type) => /(?:WebPage|Page)$/.test(type));

/** Gives the text of a JSON-LD value: a string, the first of several, or an object's `@value` or `name`. */
export function ldText(value: unknown): string {
  let inner = value;
  for (let depth = 0; depth < DEEPEST_VALUE; depth++) {
    if (typeof inner === 'string') return tidy(inner.slice(0, LONGEST_VALUE));
    if (Array.isArray(inner)) inner = inner[0];
    else if (isNode(inner)) inner = inner['@value'] ?? inner.name;
    else return '';
  }
  return '';
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  rsquo: '’',
  lsquo: '‘',
  ldquo: '“',
  rdquo: '”',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  reg: '®',
  trade: '™',
};

/** Makes one line of a text, without markup. Decodes entities that were escaped twice. */
export function tidy(text: string): string {
  return seenCharacters(text)
    .replace(
      /&(?:#(\d{1,6})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi,
      (whole, dec: string, hex: string, name: string) => {
        if (name) return NAMED[name.toLowerCase()] ?? whole;
        const code = dec ? Number(dec) : Number.parseInt(hex, 16);
        return code > 31 && code < 0x110000 && !(code >= 0xd800 && code < 0xe000)
          ? String.fromCodePoint(code)
          : ' ';
      },
    )
    .replace(/<\/?[a-z][^<>]*>/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A page's statements about itself, by name. The names of `meta` are in lower case. */
export interface Facts {
  readonly meta: ReadonlyMap<string, string>;
  readonly ld: readonly LdNode[];
}

/** Names of `meta` that papers and journals repeat for each author. */
const ONE_EACH = new Set(['author', 'citation_author', 'dc.creator', 'article:author', 'article:tag']);

/** Reads the head's `meta` elements and the JSON-LD. Takes the first element of each name, or all authors. */
export function factsOf(page: Page): Facts {
  const meta = new Map<string, string>();
  for (const { name, property, itemprop, 'http-equiv': equiv, content } of page.meta) {
    const text = tidy((content ?? '').slice(0, LONGEST_VALUE));
    for (const key of [property, name, itemprop && `itemprop:${itemprop}`, equiv]) {
      const known = key?.toLowerCase().trim();
      if (!known || !text) continue;
      const before = meta.get(known);
      if (before === undefined) meta.set(known, text);
      else if (ONE_EACH.has(known) && before.length < LONGEST_VALUE) meta.set(known, `${before}; ${text}`);
    }
  }
  return { meta, ld: ldNodes(page.jsonLd) };
}

/** Gives the first of these `meta` names that the page has. */
export const firstMeta = ({ meta }: Facts, names: readonly string[]): string => {
  for (const name of names) {
    const value = meta.get(name);
    if (value) return value;
  }
  return '';
};
