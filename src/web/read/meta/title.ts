import { plainText, visit } from '../measure.ts';
import type { Kind } from '../page-kind.ts';
import type { El, Page } from '../tree.ts';
import { type Facts, firstMeta, isWriting, ldText, tidy } from './facts.ts';
import { insteadOfHeading, withoutCalls } from './heading.ts';
import {
  bare,
  cutTail,
  frontTitle,
  hostOf,
  isFrontPage,
  ofItself,
  SEPARATOR,
  withoutSection,
  withoutSite,
} from './site-name.ts';

/** Lists the page's main headings as they are written, without one that is the site's name and leads to its front page. */
export function headings(root: El, url: string): string[] {
  const found: string[] = [];
  visit(root, (el) => {
    if (el.tag !== 'h1') return true;
    const text = tidy(plainText(el));
    if (text && text.length < 300 && !leadsHome(el, url)) found.push(text);
    return false;
  });
  return found;
}

/** A heading that is a link has few inside. */
const LINKS_LOOKED_AT = 3;

/** Tells whether a heading, on a page that is not the front page, is a link to that. */
function leadsHome(heading: El, url: string): boolean {
  if (isFrontPage(url)) return false;
  const text = plainText(heading).trim();
  let leads = heading.up?.tag === 'a' && isHome(heading.up, url);
  let looked = 0;
  visit(heading, (el) => {
    if (el.tag !== 'a') return !leads;
    leads ||= looked < LINKS_LOOKED_AT && isHome(el, url) && plainText(el).trim() === text;
    looked++;
    return !leads && looked < LINKS_LOOKED_AT;
  });
  return leads;
}

function isHome({ attrs }: El, url: string): boolean {
  try {
    const [to, from] = [new URL(attrs.href ?? '', url), new URL(url)];
    return to.host === from.host && to.pathname === '/' && to.search === '' && to.hash === '';
  } catch {
    // An address that nobody can follow leads nowhere.
    return false;
  }
}

/** Removes the sign by which documentation links to a heading. */
const withoutAnchor = (heading: string) => heading.replace(/\s*[¶#§🔗]\s*$/u, '');

/**
 * Finds a shorter heading that begins or ends the longer text. The rest of the longer text names a section.
 */
const shortest = (named: string, others: readonly string[]): string | undefined =>
  others.find((other) => {
    const [part, whole] = [bare(other), bare(named)];
    return part.length > 5 && part.length < whole.length && (whole.startsWith(part) || whole.endsWith(part));
  });

/** Gives a title made for sharing: it speaks to people, while the title element speaks to search engines. */
const sharedTitle = (from: string, named: string, others: readonly string[]): string | undefined =>
  others.find(
    (other) =>
      bare(other).length > 5 && !bare(from).includes(bare(other)) && !bare(other).includes(bare(named)),
  );

/** A heading may continue where the title was cut, unless it continues with author and date. */
const GOES_ON_ABOUT = /\b(?:posted|published|updated|written)\b|\sby\s|\b(?:19|20)\d\d\b/i;
const goesOn = (head: string, saying: string): boolean =>
  bare(head).startsWith(bare(saying)) && !GOES_ON_ABOUT.test(head.slice(saying.length));

/** The other sources of a page's title: its main headings, and the kind of page under them. */
interface Headed {
  readonly headings: readonly string[];
  readonly kind: Kind;
}

/**
 * A shorter heading over an article may belong to a section. Goods and shelves have names of a word or two.
 */
const SHORTEST_HEADLINE = 12;
const SHORTEST_NAME = 5;

const SITE_NAMES = ['og:site_name', 'application-name', 'al:ios:app_name', 'twitter:app:name:iphone'];
const SHARED_TITLES = ['og:title', 'twitter:title', 'dc.title', 'itemprop:headline'];

/**
 * Finds the title without the site's name: an article's own heading, else the title element or the part of it
 * that the page repeats.
 */
export function titleOf(page: Page, headed: Headed, facts: Facts, url: string): string | null {
  const title = withoutNames(page, headed, facts, url);
  return title && ofItself(title, headed.kind);
}

function withoutNames(page: Page, headed: Headed, facts: Facts, url: string): string | null {
  const site = firstMeta(facts, SITE_NAMES);
  const host = hostOf(url);
  const known = [...new Set(headed.headings.map(withoutAnchor))].filter(
    (head) => bare(head) !== bare(site) && head.length > 3,
  );
  const whole = tidy(page.title);
  const shared = firstMeta(facts, SHARED_TITLES);
  const written = facts.ld.filter(isWriting).map((node) => ldText(node.headline));
  const said = [whole, shared, written.find(Boolean) ?? ''].filter(Boolean);
  const [from] = said;
  if (!from) return known[0] ?? null;
  const [first = from, ...others] = said.map((each) => withoutSite(each, site, host, known));
  const sayings = [first, ...others.filter((each) => ![bare(site), bare(host)].includes(bare(each)))];
  const heads = withoutCalls(known, sayings);
  const headline =
    insteadOfHeading(heads, sayings, headed.kind, url) ?? agreedHeading(heads, sayings, headed.kind);
  if (headline) return withoutSection(headline);
  if (isFrontPage(url)) return frontTitle(from, site, host);
  return withoutSection(onlyHeading(heads, headed.kind) ?? shownPart(from, sayings, heads));
}

const isNamed = (kind: Kind) => kind === 'article' || kind === 'product' || kind === 'list';

/** Finds the heading that the metadata repeat, or the part of it that they have. */
function agreedHeading(heads: readonly string[], sayings: readonly string[], kind: Kind): string | undefined {
  const named = sayings[0] ?? '';
  const only = heads.length === 1 ? heads[0] : undefined;
  const agreed = heads.find((head) => sayings.some((saying) => bare(saying).startsWith(bare(head))));
  const lead = bare(named.split(SEPARATOR)[0] ?? '');
  if (agreed && (isNamed(kind) || agreed === only)) return agreed;
  if (agreed && (bare(agreed) === lead || bare(agreed).length > bare(named).length * 0.3)) return agreed;
  const longer = sayings.find(
    (saying) => bare(saying).length > 12 && heads.some((head) => bare(head).startsWith(bare(saying))),
  );
  return longer && only && goesOn(only, longer) ? only : longer;
}

/** Gives the only heading of a page whose heading names it, whatever the metadata say. */
function onlyHeading(heads: readonly string[], kind: Kind): string | undefined {
  const shortest = kind === 'article' ? SHORTEST_HEADLINE : SHORTEST_NAME;
  return isNamed(kind) && heads.length === 1 ? heads.find((head) => head.length > shortest) : undefined;
}

/** Gives what is left of the title element if no heading says the same. */
function shownPart(from: string, sayings: readonly string[], heads: readonly string[]): string {
  const named = sayings[0] ?? from;
  const short = shortest(named, sayings.slice(1));
  if (short) return short;
  const shared = sharedTitle(from, named, sayings.slice(1));
  if (shared) return shared;
  if (named !== from) return named;
  const inside = heads.find(
    (head) => bare(head).length > bare(from).length * 0.4 && bare(from).includes(bare(head)),
  );
  return inside ?? cutTail(named);
}
