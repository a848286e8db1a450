import { headLines, surroundings } from '../blocks.ts';
import { plainText, visit } from '../measure.ts';
import type { El } from '../tree.ts';
import { type Facts, firstMeta, isPageNode, isWriting, ldText } from './facts.ts';

const MONTHS = new Map(
  [
    'jan feb mar apr may jun jul aug sep oct nov dec',
    'january february march april may june july august september october november december',
    'januar februar märz april mai juni juli august september oktober november dezember',
    'jänner feber maerz apr may june july aug sept okt nov dez',
    'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
    'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
    'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
    'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro',
    'januari februari maart april mei juni juli augustus september oktober november december',
    'stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia',
    'января февраля марта апреля мая июня июля августа сентября октября ноября декабря',
  ].flatMap((names) => names.split(' ').map((name, month): [string, number] => [name, month + 1])),
);

const two = (n: number) => String(n).padStart(2, '0');

function ymd(year: number, month: number, day: number): string | null {
  const real = year > 1970 && year < 2100 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  return real ? `${year}-${two(month)}-${two(day)}` : null;
}

const monthOf = (name: string) => MONTHS.get(name.toLowerCase().replace(/\.$/, ''));

/** A zone as ISO 8601 writes it. */
function zone(text: string | undefined): string {
  if (!text) return '';
  if (/^(?:z|utc|gmt)$/i.test(text)) return 'Z';
  const [, sign = '+', hours = '00', minutes = '00'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(text) ?? [];
  return `${sign}${hours}:${minutes}`;
}

/** A machine's date as ISO 8601, its zone as it was given. */
export function isoDate(text: string): string | null {
  const plain = text.trim();
  const iso =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T\s]+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,]\d+)?\s*(z|utc|gmt|[+-]\d{2}:?\d{2}|[+-]\d{2})?)?/i.exec(
      plain,
    );
  if (iso) {
    const day = ymd(Number(iso[1]), Number(iso[2]), Number(iso[3]));
    if (!day || !iso[4] || Number(iso[4]) > 23) return day;
    return `${day}T${two(Number(iso[4]))}:${iso[5]}:${iso[6] ?? '00'}${zone(iso[7])}`;
  }
  const packed = /^(\d{4})[/.]?(\d{2})[/.]?(\d{2})(?:$|[T\s])/.exec(plain);
  if (packed) return ymd(Number(packed[1]), Number(packed[2]), Number(packed[3]));
  if (/^\d{10}(?:\d{3})?$/.test(plain)) {
    const at = new Date(Number(plain) * (plain.length === 10 ? 1_000 : 1));
    return `${at.toISOString().slice(0, 19)}Z`;
  }
  return writtenDate(plain);
}

/** A date as people write it in a line of text. */
export function writtenDate(text: string): string | null {
  const day =
    /(?:^|[^\d])(\d{1,2})(?:st|nd|rd|th|er|\.|º|ª)?\s*(?:de\s+|of\s+)?([\p{L}]{3,12})\.?,?\s*(?:de\s+|del\s+)?(\d{4})(?!\d)/u.exec(
      text,
    );
  const byDay = day && monthOf(day[2] ?? '');
  if (day && byDay) return ymd(Number(day[3]), byDay, Number(day[1]));
  const month = /([\p{L}]{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:at\s+)?(\d{4})(?!\d)/u.exec(text);
  const byMonth = month && monthOf(month[1] ?? '');
  if (month && byMonth) return ymd(Number(month[3]), byMonth, Number(month[2]));
  const year = /(?:^|[^\d])(\d{4})\s*[-/.年년]\s*(\d{1,2})\s*[-/.月월]\s*(\d{1,2})(?!\d)/.exec(text);
  if (year) return ymd(Number(year[1]), Number(year[2]), Number(year[3]));
  const numbers = /(?:^|[^\d])(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?!\d)/.exec(text);
  if (!numbers) return null;
  const [first, second] = [Number(numbers[1]), Number(numbers[3])];
  // 3/4/2020 is either; with dots the day comes first, with slashes the larger must be the day.
  const dayFirst = numbers[2] === '.' || first > 12;
  return dayFirst ? ymd(Number(numbers[4]), second, first) : ymd(Number(numbers[4]), first, second);
}

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

/** Whether a time is said to be that of a change: by its name, or by the words that lead up to it. */
const tellsChange = (el: El): boolean =>
  CHANGED.test(el.names) ||
  /dateModified/.test(el.attrs.itemprop ?? '') ||
  (el.up !== null &&
    el.up.chars < 160 &&
    el.up.kids.length < 12 &&
    (CHANGED.test(el.up.names) || CHANGED_LINE.test(plainText(el.up))));

/** The date that the page's own time elements or the lines around its heading give. */
function shownDate(root: El): string | null {
  let [marked, timed, named, posted]: [Found, Found, Found, Found] = [null, null, null, null];
  let seen = 0;
  const around = surroundings(root);
  visit(root, (el) => {
    if (marked || ++seen > MOST_SEEN || around.has(el)) return false;
    const { attrs } = el;
    if (/datePublished|dateCreated/.test(attrs.itemprop ?? ''))
      marked = isoDate(attrs.datetime || attrs.content || plainText(el));
    else if (el.tag === 'time' && !timed && !tellsChange(el))
      timed = isoDate(attrs.datetime || '') ?? writtenDate(plainText(el));
    else if (el.chars > 5 && el.chars < 120) {
      if (!named && el.names && DATED.test(el.names) && !tellsChange(el) && !CHANGED_LINE.test(plainText(el)))
        named = writtenDate(plainText(el));
      if (
        !posted &&
        el.tag !== 'a' &&
        el.kids.some((kid) => typeof kid === 'string' && POSTED_LINE.test(kid))
      )
        posted = writtenDate(plainText(el));
    }
    return true;
  });
  if (marked) return marked;
  const near = headLines(root).filter(({ el, text }) => !CHANGED_LINE.test(text) && el.prose === 0);
  const lined = near.map(({ text }) => writtenDate(text)).find(Boolean) ?? null;
  return timed ?? lined ?? named ?? posted;
}

/** A publisher's own name for its date of publication, such as `x-published-date`. */
const OWN_NAME = /(?:^|[-_.:])(?:publish(?:ed)?|publication|pub)[-_]?(?:date|time|on|at)(?:[-_]?iso)?$/;
const ownMeta = ({ meta }: Facts): string => [...meta].find(([name]) => OWN_NAME.test(name))?.[1] ?? '';

/** When the page says it was published: its metadata first, then what it shows. */
export function dateOf(root: El, facts: Facts, url: string): string | null {
  const writing = facts.ld.filter(isWriting);
  for (const node of [...writing, ...facts.ld.filter(isPageNode)]) {
    const date = isoDate(ldText(node.datePublished));
    if (date) return date;
  }
  const meta = isoDate(firstMeta(facts, PUBLISHED) || ownMeta(facts));
  if (meta) return meta;
  for (const node of writing) {
    const date = isoDate(ldText(node.dateCreated) || ldText(node.uploadDate));
    if (date) return date;
  }
  const shown = shownDate(root);
  if (shown) return shown;
  const inUrl = /\/(20\d\d)[/-](\d{1,2})[/-](\d{1,2})(?:\/|-|$)/.exec(url);
  return inUrl ? ymd(Number(inUrl[1]), Number(inUrl[2]), Number(inUrl[3])) : null;
}
