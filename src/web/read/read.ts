import { decodePage } from './charset.ts';
import { focus, focusArticle } from './focus.ts';
import { dropHidden } from './hidden.ts';
import { kindOf } from './kind.ts';
import { layOut } from './lines.ts';
import { measure, plainText, prune, visit } from './measure.ts';
import { bylineOf } from './meta/byline.ts';
import { dateOf } from './meta/date.ts';
import { type Facts, factsOf, firstMeta, ldText, ldTypes } from './meta/facts.ts';
import { langOf } from './meta/lang.ts';
import { headings, titleOf } from './meta/title.ts';
import { offers } from './offers.ts';
import type { Kind } from './page-kind.ts';
import { repair } from './repair.ts';
import { strippable } from './strip.ts';
import { renderText } from './text.ts';
import { clutter } from './tidy.ts';
import { type El, parsePage } from './tree.ts';
import { needsScript, type Wall, wallOf } from './walls.ts';

/** A page as it came: its bytes, its `Content-Type` header and its address. */
export interface Source {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly url: string;
}

/** What a person would read on a page. `clean_text` is empty only if the page says nothing at all. */
export interface ReadPage {
  readonly clean_text: string;
  readonly title: string | null;
  readonly byline: string | null;
  /** ISO 8601, with the page's time zone if it gave one. */
  readonly published_at: string | null;
  readonly lang: string | null;
  readonly kind: Kind;
  /** True if a script makes the text and was not run. `clean_text` is then the page's own description. */
  readonly needs_js?: true;
  /** A login or a proof of being human that stands in place of the text. */
  readonly wall?: Wall;
  /** True if the page was longer than what is read, so its end is missing. */
  readonly truncated?: true;
}

/** Running text of this length is worth keeping alone, however much else a page holds. */
const ENOUGH = 300;

/** Takes out what does not belong to this kind of page, and finds the element with the text. */
function mainPart(root: El, kind: Kind): El {
  const whole = root.prose;
  const around = strippable(root, kind);
  const lost = [...around].reduce((sum, el) => sum + el.prose, 0);
  if (lost < whole * 0.7 || whole - lost > ENOUGH || kind === 'article') prune(root, (el) => around.has(el));
  measure(root);
  const besides = offers(root, kind);
  if (besides.size > 0) {
    prune(root, (el) => besides.has(el));
    measure(root);
  }
  if (kind === 'article' && root.prose > 0) return focusArticle(root);
  return focus(root, (el) => el.chars + el.prose);
}

/** Reads the description from the page's JSON-LD. Shops often let a script show it. */
const described = (facts: Facts): string =>
  facts.ld
    .filter((node) => ldTypes(node).some((type) => /Product|Event|Recipe|JobPosting|Course/.test(type)))
    .map((node) => ldText(node.description))
    .find((text) => text.length > 40) ?? '';

/** Gives what the head says about a page without text of its own. */
const ownWords = (title: string | null, facts: Facts): string =>
  [title, described(facts) || firstMeta(facts, ['og:description', 'description', 'twitter:description'])]
    .filter(Boolean)
    .join('\n\n');

function noscriptText(root: El): string {
  const parts: string[] = [];
  visit(root, (el) => {
    if (el.tag === 'noscript' && el.chars > 0 && el.chars < 600) parts.push(plainText(el));
    return el.tag !== 'noscript';
  });
  return parts.join(' ');
}

/** Reads an HTML page of any quality. The caller can name the page's kind; else it is found out. */
export function readHtml({ bytes, contentType, url }: Source, as?: Kind): ReadPage {
  const repaired = repair(decodePage(bytes, contentType));
  const page = parsePage(repaired.html);
  const { root } = page;
  measure(root);
  const asked = noscriptText(root);
  dropHidden(root, page.styles);
  layOut(root);
  measure(root);
  const facts = factsOf(page);
  const wall = wallOf(page.title, root);
  const heads = headings(root);
  const published_at = dateOf(root, facts, url, page.lang);
  const frame = strippable(root, 'frame');
  prune(root, (el) => frame.has(el));
  measure(root);
  const kind = as ?? kindOf(root, facts, url);
  const byline = bylineOf(root, facts, kind);
  const title = titleOf(page, { headings: heads, kind }, facts, url);
  const top = mainPart(root, kind);
  const text = renderText(top, clutter(top, title ?? '', kind, byline));
  const needs_js = !wall && needsScript(page, text, repaired.scriptChars, asked);
  const clean_text = text.length > 200 || (text && !needs_js) ? text : ownWords(title, facts) || text;
  return {
    clean_text,
    title,
    byline,
    published_at,
    lang: langOf(page, facts, clean_text),
    kind,
    ...(needs_js ? { needs_js } : {}),
    ...(wall ? { wall } : {}),
    ...(repaired.truncated || page.truncated ? { truncated: true as const } : {}),
  };
}

/** Gives the five fields that the public test sets score. */
export const extract = ({ bytes, contentType, url }: Source) => {
  const { clean_text, title, byline, published_at, lang } = readHtml({ bytes, contentType, url });
  return { clean_text, title, byline, published_at, lang };
};
