import { visit } from './measure.ts';
import { words } from './strip.ts';
import type { El } from './tree.ts';

/** A child with this share of its parent's text holds the main text. */
const NEARLY_ALL = 0.88;
/** The share for articles. An article is one text, so more may stand beside it than on other pages. */
const MOST_OF_ARTICLE = 0.82;
/** A child whose name says that it is the article's text needs only this share. */
const NAMED_SHARE = 0.75;

const BODY_NAMES = words(
  'article-?body|article-?content|article-?text|article__body|articlebody|entry-content|' +
    'entry__content|post-content|post-?body|post__content|story-?body|story-?content|story-text|' +
    'blog-content|single-content|news-content|body-copy|td-post-content|main-?text|content-?body',
);
const isBody = (el: El): boolean =>
  /articleBody/.test(el.attrs.itemprop ?? '') || (el.names !== '' && BODY_NAMES.test(el.names));

/** Recognises elements with paragraphs of running text as direct children: here somebody wrote them. */
const hasParagraphs = (el: El): boolean =>
  el.kids.some((kid) => typeof kid !== 'string' && kid.tag === 'p' && kid.prose > 80);

/** Shorter text before the largest part says how old it is, or who wrote it. Over an article it is the standfirst. */
const LEAST_OF_ARTICLE = 400;
const LEAST_SAID = 120;
const MOSTLY_SAID = 0.3;
const MOSTLY_PROSE = 0.6;

/** A standfirst is one paragraph. */
const isSeveral = (el: El): boolean =>
  el.kids.filter((kid) => typeof kid !== 'string' && kid.tag === 'p' && kid.prose > 60).length > 1;

/** Finds all elements that hold the first main heading. Answers and comments may have more of them. */
function aroundTitle(root: El): Set<El> {
  const found = new Set<El>();
  visit(root, (el) => {
    if (el.tag === 'h1' && el.chars > 0 && found.size === 0)
      for (let at: El | null = el; at; at = at.up) found.add(at);
    return found.size === 0;
  });
  return found;
}

/** Counts the characters of code blocks, of each element once: the search asks about elements inside of one another. */
function codeIn(el: El, known: Map<El, number>): number {
  const before = known.get(el);
  if (before !== undefined) return before;
  let chars = 0;
  for (const kid of el.kids)
    if (typeof kid !== 'string') chars += kid.tag === 'pre' ? kid.chars : codeIn(kid, known);
  known.set(el, chars);
  return chars;
}

/** Tells whether an element has this share of running text. A question may be short beside the program that it shows. */
const says = (el: El, share: number, code: Map<El, number>): boolean =>
  el.prose >= el.chars * share || (el.prose > 0 && el.prose >= (el.chars - codeIn(el, code)) * share);

/** Tells whether running text stands before an element: a question before its answers, an introduction. */
function isIntroduced(
  best: El,
  at: El,
  titled: ReadonlySet<El>,
  least: number,
  code: Map<El, number>,
): boolean {
  // Text before a title belongs to another text. A list of things is the purpose of its page, whatever stands above it.
  if (titled.has(best) || !says(best, MOSTLY_SAID, code)) return false;
  for (const kid of at.kids) {
    if (kid === best) return false;
    if (
      typeof kid !== 'string' &&
      kid.prose >= (isSeveral(kid) ? LEAST_SAID : least) &&
      says(kid, MOSTLY_PROSE, code)
    )
      return true;
  }
  return false;
}

/** Finds the smallest element that still holds nearly all the running text. */
export function focus(
  root: El,
  weight: (el: El) => number,
  share = NEARLY_ALL,
  least = LEAST_SAID,
  keepsTitle = false,
): El {
  const titled = aroundTitle(root);
  const code = new Map<El, number>();
  let at = root;
  for (;;) {
    const total = weight(at);
    let best: El | undefined;
    for (const kid of at.kids) {
      if (typeof kid !== 'string' && (!best || weight(kid) > weight(best))) best = kid;
    }
    if (!best || weight(best) < total * share || total === 0 || hasParagraphs(at)) return at;
    if (isIntroduced(best, at, titled, least, code)) return at;
    if (keepsTitle && titled.has(at) && !titled.has(best)) return at;
    at = best;
  }
}

const hasTitle = (el: El): boolean =>
  el.kids.some((kid) => typeof kid !== 'string' && (kid.tag === 'h1' || hasTitle(kid)));

/** Finds the article element to look in: the only one, or the first of several with titles of their own. */
function firstArticle(root: El): El | undefined {
  const articles: El[] = [];
  visit(root, (el) => {
    if (el.tag === 'article' && el.prose > 200) articles.push(el);
    return el.tag !== 'article';
  });
  const [first] = articles;
  if (articles.length === 1) return first && first.prose > root.prose * 0.4 ? first : undefined;
  return articles.filter(hasTitle).length > 1 && first && hasTitle(first) ? first : undefined;
}

/**
 * Finds an article's text: the element with such a name, if it holds enough text, else the element with most
 * of it.
 */
export function focusArticle(root: El): El {
  const scope = firstArticle(root) ?? root;
  const top = focus(scope, (el) => el.prose, MOST_OF_ARTICLE, LEAST_OF_ARTICLE);
  let named: El | undefined;
  visit(top, (el) => {
    if (el.prose < top.prose * NAMED_SHARE) return false;
    if (isBody(el)) named = el;
    return named === undefined;
  });
  return named ? focus(named, (el) => el.prose, MOST_OF_ARTICLE, LEAST_OF_ARTICLE) : top;
}
