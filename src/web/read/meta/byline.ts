import { headLines } from '../blocks.ts';
import { shownAfter } from '../buttons.ts';
import { plainText, visit } from '../measure.ts';
import type { Kind } from '../page-kind.ts';
import type { El } from '../tree.ts';
import { type Facts, firstMeta, isWriting, type LdNode, ldText, ldTypes, tidy } from './facts.ts';

const BY =
  /^\s*(?:this \p{L}+ was\s+)?(?:(?:written|posted|published|reported|reviewed|story|words|text|article|authored|created|submitted|started)\s+by|by|von|par|por|autor|author|auteur|di|door|av)\s*[:：]?\s+/iu;

/** Longer lines name nobody, and would make the patterns below slow. */
const LONGEST_BYLINE = 1_000;

/** Finds names in a text, without "By", roles, dates and addresses. Gives null if there is none. */
export function names(text: string): string | null {
  let plain = tidy(text.slice(0, LONGEST_BYLINE)).replace(/^\W*?(?=[\p{L}@])/u, '');
  for (let i = 0; i < 2; i++) plain = plain.replace(BY, '');
  plain = plain
    .replace(/\s*[|·•–—].*$/u, '')
    .replace(/\s+(?:on|posted|published|updated|last updated)\s.*$/i, '')
    .replace(
      /,?\s+(?:staff writer|senior \w+|correspondent|contributor|reporter|associated press writer)\b.*$/i,
      '',
    )
    .replace(/,?\s+(?:\p{L}{3,9}\.?\s+)?\d{1,2}(?:\s|,|\.|$).*$/u, '')
    .replace(/\S+@\S+|https?:\S+/g, '')
    .replace(/\(\s*\)/g, '')
    .replace(/[\s,;:|.●-]+$/, '')
    .trim();
  if (
    /^(?:admin|administrator|editor|staff|guest|author|unknown|anonymous|webmaster|null|undefined|by|user|root|none|in stock|manufacturer|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thu|fri|sat|sun)\.?)$/i.test(
      plain,
    )
  )
    return null;
  if (
    plain.length < 2 ||
    plain.length > 120 ||
    !/\p{L}/u.test(plain) ||
    /^https?:|\.(?:com|org|net)$/i.test(plain)
  )
    return null;
  if (
    plain.split(/\s+/).length > 14 ||
    /\d{4}|\b(?:minutes?|agree|clicking|subscribing|cookies|privacy)\b/i.test(plain)
  )
    return null;
  return plain;
}

/** More names than these belong to a consortium. */
const MOST_AUTHORS = 12;

const list = (all: readonly string[]): string | null => {
  const known = [...new Set(all.map((each) => names(each)).filter((each) => each !== null))];
  return known.length > 0 ? known.slice(0, MOST_AUTHORS).join(', ') : null;
};

/** Gives the people that a JSON-LD node names as authors. An organisation is the site, not the author. */
const ldAuthors = (node: LdNode): string | null =>
  list(
    [node.author ?? node.creator].flat().flatMap((author) => {
      const kind = typeof author === 'object' && author !== null ? (author as LdNode)['@type'] : '';
      return kind === 'Organization' || kind === 'NewsMediaOrganization' ? [] : [ldText(author)];
    }),
  );

/** Recognises a question. Its author is the author of a page whose other posts answer it. */
const isQuestion = (node: LdNode): boolean => ldTypes(node).includes('Question');

const AUTHOR =
  /(?:^|[\s_-])(?:byline|by-line|author|authors|by-author|author-?name|post-?author|entry-author|article-author|vcard|writer|autor|auteur)(?:$|[\s_-])/;
const POSTER = /(?:^|[\s_-])(?:user-?name|creator|author|poster|user-link|message-name)(?:$|[\s_-])/;
const BY_LINE =
  /^\W*(?:(?:written|posted|words|text|story|report(?:ed|ing)?|article) by|by|von|par|por|di|autor|author|auteur)(?:\s*:)?\s+@?[\p{Lu}]/iu;
const COMMENTED = /(?:^|[\s_-])(?:comments?|commentlist|related|sidebar|recommended)(?:$|[\s_-])/;

const IS_AUTHOR = /(?:^|\s)author(?:\s|$)/;
/** A line that only says that a name follows. */
const LABEL = /^\W*(?:(?:written|posted|published|words|text|story|article|reviewed) by|by|authors?)\W*$/i;
const LONGEST_LABEL = 20;
const LONGEST_NAME = 80;

type Found = string | null;

/** Finds names beside the page's heading, or beside a thread's first post. */
function shownAuthor(root: El, kind: Kind, first: Found): string | null {
  let [marked, linked, named, posted, labelled]: Found[] = [null, null, null, null, null];
  visit(root, (el) => {
    const { attrs } = el;
    // A page may be called by its sidebar.
    if (marked || (COMMENTED.test(el.names) && el.prose <= root.prose * 0.5)) return false;
    if (el.chars > 200) return true;
    if (
      !labelled &&
      el.chars < LONGEST_LABEL &&
      el.kids.some((kid) => typeof kid === 'string' && LABEL.test(kid))
    ) {
      const next = shownAfter(el);
      if (next && next.chars < LONGEST_NAME) labelled = names(nameWithin(next));
    }
    // A thread's author is whoever posted first.
    if (!posted && IS_AUTHOR.test(attrs.itemprop ?? '')) marked = names(attrs.content || nameWithin(el));
    else if (
      !linked &&
      el.tag === 'a' &&
      (/(?:^|\s)author(?:\s|$)/.test(attrs.rel ?? '') ||
        /\/(?:authors?|autor|profile|people|contributors?|staff|team|by)\/[^/]/.test(attrs.href ?? ''))
    ) {
      linked = names(plainText(el));
    } else if (!named && el.chars > 2 && AUTHOR.test(el.names)) named = names(nameWithin(el));
    else if (!posted && kind === 'thread' && el.chars > 1 && POSTER.test(el.names))
      posted = names(nameWithin(el));
    return true;
  });
  if (kind === 'thread') return posted ?? first ?? marked ?? named ?? null;
  if (marked) return marked;
  const line = headLines(root).find(({ el, text }) => el.prose === 0 && BY_LINE.test(text));
  return named ?? labelled ?? linked ?? (line ? names(line.text) : null);
}

/** Finds the name inside an author's box: in the element that says so, its link, or its first line. */
function nameWithin(el: El): string {
  let found: El | undefined;
  visit(el, (inner) => {
    if (found) return false;
    if (
      inner.attrs.itemprop === 'name' ||
      /(?:^|[\s_-])(?:name|fn|author-?name)(?:$|[\s_-])/.test(inner.names)
    )
      found = inner;
    return !found;
  });
  if (!found) {
    visit(el, (inner) => {
      if (!found && inner.tag === 'a' && inner.chars > 2) found = inner;
      return !found;
    });
  }
  if (found) return found.attrs.content || plainText(found);
  // A name often shares its box with a date or a role.
  const parts = el.kids.filter((kid): kid is El => typeof kid !== 'string' && kid.chars > 2).map(plainText);
  return (
    (parts.length > 1 && parts.find((part) => !/\d/.test(part) && !LABEL.test(part) && names(part))) ||
    plainText(el)
  );
}

/** Finds the author that a page's microdata names, also where the page shows it nowhere. */
export function markedAuthor(root: El): string | null {
  let found: Found = null;
  let over = false;
  visit(root, (el) => {
    over ||= found !== null;
    if (!over && IS_AUTHOR.test(el.attrs.itemprop ?? '') && el.chars < 200)
      found = names(el.attrs.content || nameWithin(el));
    return !over;
  });
  return found;
}

const WRITERS = [
  'author',
  'article:author',
  'og:article:author',
  'dc.creator',
  'dcterms.creator',
  'parsely-author',
  'sailthru.author',
  'byl',
  'itemprop:author',
  'citation_author',
  'article:author_name',
];

/**
 * Finds out who wrote the page: first from its metadata, then from what it shows. Never gives the site's own
 * name.
 */
export function bylineOf(root: El, facts: Facts, kind: Kind, marked: string | null = null): string | null {
  const site = facts.meta.get('og:site_name')?.toLowerCase();
  const person = (name: string | null) => (name && name.toLowerCase() !== site ? name : null);
  for (const node of facts.ld.filter((each) => isWriting(each) || isQuestion(each))) {
    const authors = person(ldAuthors(node));
    if (authors) return authors;
  }
  const tweeted = /written by/i.test(facts.meta.get('twitter:label1') ?? '')
    ? facts.meta.get('twitter:data1')
    : '';
  const meta = person(list(`${firstMeta(facts, WRITERS) || tweeted || ''}`.split(/;/)));
  return meta ?? person(shownAuthor(root, kind, marked)) ?? person(marked);
}
