import { linkShare, visit } from './measure.ts';
import { type Facts, isWriting, ldTypes } from './meta/facts.ts';
import type { Kind } from './page-kind.ts';
import { strippable } from './strip.ts';
import type { El } from './tree.ts';

const THREAD_TYPE = /^(?:DiscussionForumPosting|QAPage)$/;
const PRODUCT_TYPE = /^(?:Product|ProductGroup|IndividualProduct|Vehicle)$/;
const LIST_TYPE = /^(?:CollectionPage|ItemList|SearchResultsPage|OfferCatalog)$/;
const FORUM_ENGINE =
  /discourse|phpbb|vbulletin|xenforo|flarum|invision|nodebb|mybb|smf|vanilla|woltlab|ip\.board/i;
const FORUM_ADDRESS =
  /\/(?:forums?|threads?|topics?|t|questions|viewtopic|showthread|discussions?|boards?|community|comments)(?:[/.?]|$)|[?&](?:topic|showtopic|t)=\d/i;
const DOCS_ADDRESS =
  /\/\/(?:docs?|developers?|help|support|wiki|learn)\.|\/(?:docs?|documentation|reference|manual|guide|api|wiki|tutorials?)(?:\/|$)/i;
const DOCS_ENGINE =
  /docusaurus|sphinx|mkdocs|gitbook|mdbook|hugo.*docsy|jekyll.*docs|vuepress|vitepress|readthedocs|rustdoc|javadoc|doxygen|mediawiki|asciidoctor|antora/i;
const PRODUCT_ADDRESS = /\/(?:products?|dp|item|itm|pdp|listing|p)\/|\/product[-_]/i;
/** A shop's own address for one thing. Its description may be long. */
const ONE_PRODUCT = /\/(?:products?|dp|itm|pdp)\/[^/?#]+\/?(?:[?#]|$)/i;
const LIST_ADDRESS =
  /\/(?:categor(?:y|ies)|collections?|tags?|topics?|archives?|search|browse|c|catpage|shop|blog|news)\/?(?:$|[?#])|\/(?:category|collections|tag|topic|c|browse|search|w)\//i;
const POST =
  /(?:^|[\s_-])(?:post|posts|message|messages|reply|answer|comment|topic-post|postbody|post-body|post-content|cooked|post-message|bbwrapper)(?:$|[\s_-])/;

const LEAST_POST = 40;

/** Names for the element around all posts of a thread. */
const BOARD =
  /(?:^|[\s_-])(?:threads?|topic|viewtopic|showthread|thread-?view|topic-?view|forum|forums|discussion-?board|message-?board)(?:$|[\s_-])/;
const BESIDE_TEXT = /(?:^|[\s_-])(?:comments?|disqus|comment-?list|respond|replies)(?:$|[\s_-])/;
/** The share of running text: the posts' of their thread, and the thread's of its page. */
const MOSTLY_POSTS = 0.7;
/** Of nested elements with such names, only these outermost ones are searched. */
const BOARDS_LOOKED_AT = 4;

/**
 * Tells whether one element has a thread's name and consists of posts. Such a page may still call itself an
 * article.
 */
function isBoard(root: El): boolean {
  let board = false;
  let looked = 0;
  visit(root, (el) => {
    if (board || looked >= BOARDS_LOOKED_AT || el.prose < root.prose * MOSTLY_POSTS) return false;
    if (el.names && BOARD.test(el.names) && !BESIDE_TEXT.test(el.names)) {
      looked++;
      let posts = 0;
      let said = 0;
      visit(el, (inner) => {
        if (!inner.names || inner.prose <= 40 || inner.prose > el.prose * 0.6 || !POST.test(inner.names))
          return true;
        posts++;
        said += inner.prose;
        return false;
      });
      board = posts > 2 && said > el.prose * MOSTLY_POSTS;
    }
    return !board;
  });
  return board;
}

/** Longer text above comments is what they are about. */
const LONGEST_SUBJECT = 300;
const LEAST_COMMENTS = 3;

/** Tells whether a page has comments and hardly any text besides: a link or a title that people talk about. */
function isDiscussion(root: El): boolean {
  let said = 0;
  let comments = 0;
  visit(root, (el) => {
    if (el.names === '' || el.prose < LEAST_POST || !BESIDE_TEXT.test(el.names)) return el.prose > 0;
    said += el.prose;
    visit(el, (inner) => {
      if (inner.prose < LEAST_POST) return false;
      if (inner.names !== '' && POST.test(inner.names)) comments++;
      return true;
    });
    return false;
  });
  return comments >= LEAST_COMMENTS && root.prose - said < LONGEST_SUBJECT;
}

/** A page with this share of running text reads as an article, whatever it calls itself. */
const MOSTLY_PROSE = 0.6;

/** Counts two signs of a page's kind: posts with text in them, and article elements. */
function looksOf(root: El): { posts: number; articles: number } {
  let posts = 0;
  let articles = 0;
  visit(root, (el) => {
    if (el.tag === 'article' && el.chars > 40) articles++;
    if (el.names && el.prose > 40 && POST.test(el.names)) posts++;
    return undefined;
  });
  return { posts, articles };
}

/** Gives the share of running text in a page, without what stands beside it. */
function proseShare(root: El): number {
  let { chars, prose } = root;
  for (const el of strippable(root, 'other')) {
    chars -= el.chars;
    prose -= el.prose;
  }
  return prose / (chars || 1);
}

/** Finds a page's kind: first by what it says about itself, then by its address, then by its elements. */
export function kindOf(root: El, facts: Facts, url: string): Kind {
  const types = facts.ld.flatMap(ldTypes);
  const says = (type: RegExp) => types.some((each) => type.test(each));
  const og = facts.meta.get('og:type') ?? '';
  const engine = facts.meta.get('generator') ?? '';
  const looks = looksOf(root);
  if (says(THREAD_TYPE) || FORUM_ENGINE.test(engine)) return 'thread';
  if ((FORUM_ADDRESS.test(url) && looks.posts > 2) || isBoard(root)) return 'thread';
  if (/product/.test(og) || (says(PRODUCT_TYPE) && !says(LIST_TYPE))) return 'product';
  const written = facts.ld.some(isWriting) || facts.meta.has('article:published_time');
  const linked = linkShare(root);
  if (says(LIST_TYPE) && !written && root.prose < root.chars * 0.5) return 'list';
  if (facts.ld.some(isWriting)) return 'article';
  // Shops that are made like weblogs date their goods.
  if (ONE_PRODUCT.test(url) && facts.meta.has('article:published_time')) return 'product';
  if (written && root.prose > root.chars * 0.3) return 'article';
  if (isDiscussion(root)) return 'thread';
  if (PRODUCT_ADDRESS.test(url) && (root.prose < root.chars * 0.6 || ONE_PRODUCT.test(url))) return 'product';
  if (DOCS_ENGINE.test(engine) || DOCS_ADDRESS.test(url)) return 'docs';
  if (LIST_ADDRESS.test(url) && (linked > 0.35 || looks.articles > 4)) return 'list';
  if (linked > 0.55 && root.prose < root.chars * 0.35) return 'list';
  if (/article/i.test(og) || looks.articles === 1) return 'article';
  if (proseShare(root) > MOSTLY_PROSE) return 'article';
  return 'other';
}
