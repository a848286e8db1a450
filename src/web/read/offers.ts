import { BLOCK, linkShare, plainText, visit } from './measure.ts';
import type { Kind } from './page-kind.ts';
import type { El } from './tree.ts';

const heading = (phrases: readonly string[]) => new RegExp(`^\\W*(?:${phrases.join('|')})\\W*$`, 'iu');

const THINGS =
  '(?:products?|items?|articles?|posts?|stories|insights|resources?|content|topics?|reading|reads|news|' +
  'blogs?(?: posts?)?|case studies|videos?|searches|categories|guides|reports?|links|pages|questions|' +
  'services|courses|jobs|recipes|events?(?: & announcements)?|publications|solutions)';

/** Headings over other things to see or to buy. */
const ELSEWHERE = heading([
  `(?:related|similar|recommended|suggested|associated)(?: (?:\\p{L}+ )?${THINGS})?(?: (?:for|to) .{0,30})?`,
  'you (?:may|might|could|will|.ll)(?: also)? (?:like|enjoy|love|need|be interested).{0,40}',
  '(?:sponsored |more )?(?:products|items|listings) (?:related|similar) to .{3,30}|sponsored (?:products|items)|seller.s other items.{0,20}',
  '(?:customers?|people|shoppers|others|users|members)(?: who .{0,40})?(?: also .{0,30})',
  '(?:frequently|often) bought together|bought together|recently viewed.{0,20}|your recent.{0,30}',
  'keep (?:reading|exploring)|(?:read|up) next|what to read next|more like this',
  'complete (?:the|your) (?:look|set|outfit)|pairs well with|goes well with|shop the look',
  'das könnte (?:ihnen|dir|euch|dich|sie) auch.{0,30}|(?:ähnliche|verwandte|weitere) \\p{L}+|mehr zum thema',
  'vous (?:aimerez|pourriez).{0,40}|à (?:lire|voir|découvrir) (?:aussi|également)',
  '(?:articles|produits|sujets) (?:similaires|liés|associés|connexes)|dans la même (?:rubrique|catégorie)',
  '(?:también )?te (?:puede|podría) .{0,30}|(?:artículos|productos|noticias) (?:relacionad|similar)\\p{L}+',
  'potrebbe .{0,30}|(?:articoli|prodotti) (?:correlati|simili)|(?:artigos|produtos|notícias) relacionad\\p{L}+',
  'lees ook|gerelateerde \\p{L}+|podobne \\p{L}+|zobacz (?:też|także|również)|читайте также|похожие \\p{L}+',
]);
/** Such a heading may also stand over a part of the page's own: recommended ingredients, which link to nothing. */
const MAY_BE_OWN = /^\W*(?:related|similar|recommended|suggested|associated)\W*$/i;
/** Headings over the site's news. On a page that lists things, the news may be the list. */
const NEWS = heading([
  `(?:featured|trending|popular|recent|latest|newest|most (?:read|popular|viewed))(?: (?:client |customer |blog )?${THINGS}| comments)`,
  'more to (?:explore|read|love|discover|see)\\b.{0,30}|(?:explore|discover) (?:more|related|similar)\\b.{0,40}',
  `more ${THINGS}.{0,30}|more (?:from|by) .{1,40}`,
  'from (?:the|our) (?:blog|newsroom)|(?:our )?latest (?:from .{0,30}|thinking)|in the news|trending(?: now)?',
]);
/** Headings over requests to the reader. */
const ASKED = heading([
  'stay (?:connected|in touch|ahead|up.to.date|informed|in the loop|updated|tuned)\\b.{0,30}|follow us.{0,30}',
  '(?:subscribe|sign up)(?: (?:now|today|here)| .{0,40}(?:newsletters?|updates|e-?mails?|alerts|list))?',
  'join (?:our|the) (?:newsletter|mailing list|community|conversation).{0,30}',
  '(?:get|be|keep) in touch\\b.{0,40}|share (?:this|your)\\b.{0,40}',
  '(?:leave|write|post) a (?:reply|comment|review).{0,30}',
]);

/** Headings over other buyers' opinions of a product. */
const OPINIONS = heading([
  '(?:seller |customer )?feedback(?: \\(?[\\d.,]+\\)?)?',
  '(?:\\p{L}+ )?(?:ratings? (?:and|&) )?reviews?(?: \\(?[\\d.,]+\\)?)?(?: for .{1,40})?',
  'what (?:our |other )?(?:clients|customers|people|buyers|students) (?:say|think|are saying).{0,20}',
]);
/** A section with a larger share is the page's purpose. */
const MOST = 0.35;
/** More sections than a page announces. Looking around each takes time. */
const MOST_SECTIONS = 60;

/** Tells whether a part has no text before it in its element. */
function isFirst(part: El, kids: readonly (El | string)[]): boolean {
  for (const kid of kids) {
    if (kid === part) return true;
    if (typeof kid === 'string' ? kid.trim() !== '' : kid.chars > 0) return false;
  }
  return false;
}

/** Finds the largest element that a heading heads and that isn't the page itself. */
function headedBy(title: El, root: El): El {
  let at = title;
  const small = (el: El) => el.chars < root.chars * MOST && el.prose <= root.prose * MOST;
  while (at.up && at.up !== root && small(at.up) && isFirst(at, at.up.kids)) at = at.up;
  return at;
}

const rank = (el: El): number => (/^h[1-6]$/.test(el.tag) ? Number(el.tag[1]) : 7);

/** Lists what follows a heading in its own element, up to the next heading, as long as it links elsewhere. */
function followers(title: El): El[] {
  const kids = title.up?.kids ?? [];
  const found: El[] = [];
  for (const kid of kids.slice(kids.indexOf(title) + 1)) {
    if (typeof kid === 'string') continue;
    if (rank(kid) <= rank(title) || (kid.chars > 0 && linkShare(kid) < 0.5)) break;
    found.push(kid);
  }
  return found;
}

/** Finds sections whose heading announces something other than the page's own text. */
export function offers(root: El, kind: Kind): Set<El> {
  const found = new Set<El>();
  let announced = 0;
  visit(root, (el) => {
    if (found.has(el) || announced > MOST_SECTIONS) return false;
    if (!BLOCK.has(el.tag) || el.chars < 5 || el.chars > 70) return true;
    const text = plainText(el);
    const isHeading = rank(el) < 7;
    const announces =
      ELSEWHERE.test(text) ||
      (isHeading && kind === 'product' && OPINIONS.test(text)) ||
      (isHeading && (ASKED.test(text) || (kind !== 'list' && NEWS.test(text))));
    if (!announces) return true;
    announced++;
    const section = headedBy(el, root);
    if (MAY_BE_OWN.test(text) && section.chars > el.chars && section.linkChars === 0) return true;
    found.add(section);
    if (section === el || section.chars === el.chars) for (const next of followers(section)) found.add(next);
    return false;
  });
  return found;
}
