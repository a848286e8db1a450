import { atOnce, type Steps } from '../../core/steps.ts';
import { appText, ldBody } from './app-data.ts';
import { decodePage } from './charset.ts';
import { dropHidden } from './hidden.ts';
import { kindOf } from './kind.ts';
import { layOut } from './lines.ts';
import { type Link, linksOf, type Picture, picturesOf, seenIn } from './links.ts';
import { mainText } from './main-text.ts';
import { addresses } from './markdown/address.ts';
import { type Markdown, writingMarkdown } from './markdown/markdown.ts';
import { measure, plainText, visit } from './measure.ts';
import { type About, aboutOf } from './meta/about.ts';
import { bylineOf, markedAuthor } from './meta/byline.ts';
import { dateOf } from './meta/date.ts';
import { type Facts, factsOf, firstMeta } from './meta/facts.ts';
import { langOf } from './meta/lang.ts';
import { type Structured, structuredOf, structuredText } from './meta/structured.ts';
import { headings, titleOf } from './meta/title.ts';
import type { Kind } from './page-kind.ts';
import { repair } from './repair.ts';
import { selectionOf } from './selection.ts';
import { dropShortcodes } from './shortcodes.ts';
import { renderText } from './text.ts';
import { type El, type Page, parsing } from './tree.ts';
import { needsScript, type Wall, wallOf } from './walls.ts';

/** A page as it came: its bytes, its `Content-Type` header and its address. */
export interface Source {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly url: string;
}

/** A page as a person would read it. `clean_text` is empty only if the page says nothing at all. */
export interface ReadPage {
  readonly clean_text: string;
  readonly title: string | null;
  readonly byline: string | null;
  /** ISO 8601, with the page's time zone if it gave one. */
  readonly published_at: string | null;
  readonly lang: string | null;
  readonly kind: Kind;
  readonly about: About;
  readonly structured: readonly Structured[];
  /** The source of the text. It is the whole page if a search for its main text would lose too much. */
  readonly reading: 'main' | 'whole page' | 'page data' | 'selection';
  /** The number of elements that the caller chose, and of those that the page shows. */
  readonly selected?: { readonly found: number; readonly seen: number } | 'too much work';
  /** True if a script makes the text and was not run. */
  readonly needs_js?: true;
  /** A login or a proof of being human that stands in place of the text. */
  readonly wall?: Wall;
  /** The same text as Markdown, if it was asked for. */
  readonly markdown?: Markdown;
  readonly links?: readonly Link[];
  readonly images?: readonly Picture[];
  /** True if the page was longer than what is read, so its end is missing. */
  readonly truncated?: true;
}

export interface ReadOptions {
  /** The page's kind, if the caller knows it. */
  readonly as?: Kind;
  readonly format?: 'text' | 'markdown';
  /** Chooses elements of the page to read alone. Gives `undefined` if that would take too much work. */
  readonly select?: ((page: Page) => readonly El[] | undefined) | undefined;
  /** True to read all that the page shows, and not look for its main text. */
  readonly whole?: boolean;
  readonly links?: boolean;
  readonly images?: boolean;
}

function noscriptText(root: El): string {
  const parts: string[] = [];
  visit(root, (el) => {
    if (el.tag === 'noscript' && el.chars > 0 && el.chars < 600) parts.push(plainText(el));
    return el.tag !== 'noscript';
  });
  return parts.join(' ');
}

/** Gives what a page without text of its own says in its data, or at least in its head. */
function ownWords(
  title: string | null,
  facts: Facts,
  structured: readonly Structured[],
  data: readonly string[],
): string {
  const body = ldBody(facts) || structuredText(structured) || appText(data);
  const description = firstMeta(facts, ['og:description', 'description', 'twitter:description']);
  return [title, body || description].filter(Boolean).join('\n\n');
}

const asMarkdown = (text: string): Markdown => ({ text, headings: [], places: new Map() });

/** Reads an HTML page of any quality, in steps of which each takes a part of the time. */
export function* reading({ bytes, contentType, url }: Source, options: ReadOptions = {}): Steps<ReadPage> {
  const repaired = repair(decodePage(bytes, contentType));
  yield;
  const page = yield* parsing(repaired.html);
  const { root } = page;
  measure(root);
  // A selector counts hidden elements too, but what it chooses of them is not read.
  const chosen = options.select?.(page);
  const asked = page.has.noscript ? noscriptText(root) : '';
  const author = page.has.microdata ? markedAuthor(root) : null;
  yield;
  dropHidden(root, page);
  yield;
  if (page.has.brackets) dropShortcodes(root);
  layOut(root);
  measure(root);
  yield;
  const facts = factsOf(page);
  const address = addresses(url, page.base);
  const wall = wallOf(page.title, root);
  const heads = headings(root, url);
  const published_at = dateOf(root, facts, url, page.lang);
  const seen = options.links || options.images ? seenIn(root) : undefined;
  const whole = options.whole === true || options.select !== undefined;
  yield;
  const part = yield* mainText(root, { whole }, (framed) => {
    const kind = options.as ?? kindOf(framed, facts, url);
    const byline = bylineOf(framed, facts, kind, author);
    return { kind, byline, title: titleOf(page, { headings: heads, kind }, facts, url) };
  });
  const { dropped, named } = part;
  yield;
  const selection = chosen && selectionOf(root, chosen);
  const top = selection?.top ?? part.top;
  const text = renderText(top, dropped);
  yield;
  const pageText = selection ? renderText(root) : text;
  const needs_js = !wall && needsScript(page, pageText, repaired.scriptChars, asked);
  const structured = structuredOf(facts);
  const isShell = !options.select && !(text.length > 200 || (text && !needs_js));
  const said = isShell ? ownWords(named.title, facts, structured, repaired.data) : '';
  const clean_text = said || text;
  const lang = langOf(page, facts, selection ? pageText : clean_text);
  yield;
  const markdown =
    options.format !== 'markdown'
      ? undefined
      : said
        ? asMarkdown(said)
        : yield* writingMarkdown(top, dropped, address);
  yield;
  return {
    clean_text,
    title: named.title,
    byline: named.byline,
    published_at,
    lang,
    kind: named.kind,
    about: aboutOf(page, facts, address),
    structured,
    reading: said ? 'page data' : options.select ? 'selection' : part.reading,
    ...(options.select
      ? { selected: chosen && selection ? { found: chosen.length, seen: selection.seen } : 'too much work' }
      : {}),
    ...(markdown ? { markdown } : {}),
    ...(seen && options.links ? { links: linksOf(seen, top, dropped, address) } : {}),
    ...(seen && options.images ? { images: picturesOf(seen, top, dropped, address) } : {}),
    ...(needs_js ? { needs_js } : {}),
    ...(wall ? { wall } : {}),
    ...(repaired.truncated || page.truncated ? { truncated: true as const } : {}),
  };
}

/** Reads an HTML page in one go. */
export function readHtml(source: Source, options: ReadOptions = {}): ReadPage {
  return atOnce(reading(source, options));
}

/** Gives the five fields that the public test sets score. */
export const extract = (source: Source) => {
  const { clean_text, title, byline, published_at, lang } = readHtml(source);
  return { clean_text, title, byline, published_at, lang };
};
