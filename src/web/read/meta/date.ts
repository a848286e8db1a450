import { headLines, surroundings } from '../blocks.ts';
import { plainText, visit } from '../measure.ts';
import type { El } from '../tree.ts';
import { type Facts, firstMeta, isPageNode, isWriting, type LdNode, ldText, ldTypes } from './facts.ts';
import { type DayFirst, isoDate, monthOf, startsWithDay, writtenDate, ymd } from './written-date.ts';

const PUBLISHED = [
  'article:published_time og:article:published_time article:published og:published_time',
  'datepublished itemprop:datepublished parsely-pub-date sailthru.date publishdate publish-date',
  'publish_date pubdate dc.date.issued dcterms.created dc.date dcterms.date dc.date.created',
  'dcterms.issued citation_publication_date citation_date article.published published_time',
  'published-date publication_date cxenseparse:recs:publishtime originalpublicationdate',
  'article_date_original timestamp displaydate date created article:post_date itemprop:datecreated',
].flatMap((names) => names.split(' '));

const DATED =
  /(?:^|[\s_-])(?:published|pub-?date|post-?date|entry-?date|article-?date|date-?published|posted-?on|timestamp|dateline|byline|date|datum|fecha|post-?meta|entry-?meta)(?:$|[\s_-])/;
const CHANGED = /(?:^|[\s_-])(?:updated|modified|update|last-?updated)(?:$|[\s_-])/;
const CHANGED_LINE =
  /^\W*(?:this (?:page|article|post|document) was )?(?:last )?(?:updated|modified|changed|edited|reviewed|aktualisiert|geändert|stand|mis à jour|actualizado|aggiornato)\b/i;
const POSTED_LINE =
  /^\W*(?:first )?(?:posted|published|veröffentlicht|publié|publicado|pubblicato|erstellt|geschrieben|eingestellt|gepostet|date|datum|on|am|le)\b/i;
const MOST_SEEN = 5_000;

type Found = string | null;

/** Recognises the time of a change by its name or by the words before it. */
const tellsChange = (el: El): boolean =>
  CHANGED.test(el.names) ||
  /dateModified/.test(el.attrs.itemprop ?? '') ||
  (el.up !== null &&
    el.up.chars < 160 &&
    el.up.kids.length < 12 &&
    (CHANGED.test(el.up.names) || CHANGED_LINE.test(plainText(el.up))));

/** Lines that name the author often continue with the date. */
const SIGNED_LINE = /^\W*(?:by|von|par|por|di|posted|published)\s/i;
const isAboutLine = ({ el, text }: { el: El; text: string }): boolean =>
  !CHANGED_LINE.test(text) && (el.prose === 0 || (text.length < 100 && SIGNED_LINE.test(text)));

/** Finds the date in the page's time elements or in the lines around its heading. */
function shownDate(root: El, dayFirst: DayFirst): Found {
  let [marked, timed, named, posted]: [Found, Found, Found, Found] = [null, null, null, null];
  let seen = 0;
  const written = (el: El) => writtenDate(plainText(el), dayFirst);
  const around = surroundings(root);
  visit(root, (el) => {
    if (marked || ++seen > MOST_SEEN || around.has(el)) return false;
    const { attrs } = el;
    if (/datePublished|dateCreated/.test(attrs.itemprop ?? ''))
      marked = isoDate(attrs.datetime || attrs.content || plainText(el), dayFirst);
    else if (el.tag === 'time' && !timed && !tellsChange(el))
      timed = isoDate(attrs.datetime || '', dayFirst) ?? written(el);
    else if (el.chars > 5 && el.chars < 120) {
      if (!named && el.names && DATED.test(el.names) && !tellsChange(el) && !CHANGED_LINE.test(plainText(el)))
        named = written(el);
      if (
        !posted &&
        el.tag !== 'a' &&
        el.kids.some((kid) => typeof kid === 'string' && POSTED_LINE.test(kid))
      )
        posted = written(el);
    }
    return true;
  });
  if (marked) return marked;
  const near = headLines(root).filter(isAboutLine);
  const lined = near.map(({ text }) => writtenDate(text, dayFirst)).find(Boolean) ?? null;
  return timed ?? lined ?? named ?? posted;
}

/** A publisher's own name for its date of publication, such as `x-published-date`. */
const OWN_NAME = /(?:^|[-_.:])(?:publish(?:ed)?|publication|pub)[-_]?(?:date|time|on|at)(?:[-_]?iso)?$/;
const ownMeta = ({ meta }: Facts): string => [...meta].find(([name]) => OWN_NAME.test(name))?.[1] ?? '';

/** Reads the day in a page's address. */
function addressDate(url: string): Found {
  const [, year, month = '', day] =
    /\/(20\d\d)[/-](\d{1,2}|[a-z]{3,9})[/-](\d{1,2})(?:\/|-|$)/i.exec(url) ?? [];
  return year ? ymd(Number(year), monthOf(month) ?? Number(month), Number(day)) : null;
}

/** Finds the first date that one of these nodes has under one of these names. */
function ldDate(nodes: readonly LdNode[], names: readonly string[]): { iso: Found; text: string } {
  for (const node of nodes) {
    const text = names.map((name) => ldText(node[name])).find(Boolean) ?? '';
    const iso = isoDate(text);
    if (iso) return { iso, text };
  }
  return { iso: null, text: '' };
}

const isAsked = (node: LdNode): boolean => ldTypes(node).includes('Question');

/** A day in milliseconds. */
const DAY = 86_400_000;

/**
 * Gives the day where the page was published. Its address names that day, while a time in UTC may fall on the
 * day before or after.
 */
function localDay(found: Found, url: string): Found {
  const day = found && /(?:Z|[+-]00:00)$/.test(found) ? addressDate(url) : null;
  if (!found || !day || found.startsWith(day)) return found;
  const apart = Math.abs(Date.parse(found.slice(0, 10)) - Date.parse(day));
  return apart === DAY ? day : found;
}

/** Finds the day of the last change beside the heading of an article. */
function shownChange(root: El, dayFirst: DayFirst): Found {
  const changed = headLines(root).filter(({ text }) => CHANGED_LINE.test(text));
  return changed.map(({ text }) => writtenDate(text, dayFirst)).find(Boolean) ?? null;
}

/**
 * Finds out when the page was published: first from its metadata, then from what it shows. Without either,
 * gives the day of its last change.
 */
export function dateOf(root: El, facts: Facts, url: string, lang = ''): string | null {
  return localDay(publishedAt(root, facts, url, lang), url);
}

function publishedAt(root: El, facts: Facts, url: string, lang: string): Found {
  const writing = facts.ld.filter((node) => isWriting(node) || isAsked(node));
  const pages = [...writing, ...facts.ld.filter(isPageNode)];
  const dayFirst = startsWithDay(lang, url);
  const published = ldDate(pages, ['datePublished']);
  // A site's template wrote a date in words. It is often the date of the last upload.
  const sure = published.iso && /^\d{4}/.test(published.text);
  if (sure) return published.iso;
  if (published.iso) return shownDate(root, dayFirst) ?? published.iso;
  return (
    isoDate(firstMeta(facts, PUBLISHED) || ownMeta(facts), dayFirst) ??
    ldDate(writing, ['dateCreated', 'uploadDate']).iso ??
    shownDate(root, dayFirst) ??
    addressDate(url) ??
    ldDate(pages, ['dateModified']).iso ??
    (writing.length > 0 || /article/.test(facts.meta.get('og:type') ?? '')
      ? shownChange(root, dayFirst)
      : null)
  );
}
