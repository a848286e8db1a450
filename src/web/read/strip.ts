import { isControl } from './buttons.ts';
import { linkShare, visit } from './measure.ts';
import type { Kind } from './page-kind.ts';
import { isChoice } from './shelf.ts';
import type { El } from './tree.ts';

/** Makes a pattern for words that stand alone in a class or id, between spaces, hyphens or underscores. */
export const words = (list: string) => new RegExp(`(?:^|[\\s_-])(?:${list})(?:$|[\\s_-]|\\d)`);

/** A name such as `has-nav` or `no-ads` speaks of something else, or of nothing. */
const SPEAKS_OF_ANOTHER = /^(?:no|not|has|have|with|without|hide|hides|show|shows|is|are)[-_]/;
/** The last word of a name says what the thing is: a `login-guide` is a guide. */
const THING =
  /[-_](?:tables?|guides?|plans?|details|laws?|analysis|prices?|history|reports?|statistics|stats|results?|tutorials?|data|charts?|benefits|overview|comparison|rules|policy|course|lesson|chapter|recipe|dish|dishes)$/;
/** Such details are of a person and not of the page's subject. */
const OF_SOMEBODY = /^(?:author|user|member|post|entry|article|comment)[-_]/;

/** Leaves out names in which a word of the frame only belongs to the name of something else. */
const meant = (names: string): string =>
  names
    .split(/\s+/)
    .filter((name) => !SPEAKS_OF_ANOTHER.test(name) && (!THING.test(name) || OF_SOMEBODY.test(name)))
    .join(' ');

/** Tells whether one of an element's names fits a pattern. */
const isCalled = (el: El, called: RegExp): boolean =>
  el.names !== '' && called.test(el.names) && called.test(meant(el.names));

/** Common names for what frames a page of any kind. */
const FRAME = words(
  'nav|navs|navbar|navigation|topnav|subnav|sidenav|menus?|submenu|megamenu|breadcrumbs?|crumbs?|' +
    'footer|foot|masthead|topbar|cookies?|consent|gdpr|' +
    'popups?|modals?|overlay|lightbox|dialog|toolbar|pagination|pager|skip-?(?:link|nav|links)|' +
    'skip-to-(?:content|main)|socials?|share|sharing|sharedaddy|addtoany|addthis|' +
    'newsletter|subscribe|subscription|signup|login|adverts?|advertisement|ads|adsbygoogle|' +
    'sponsored|banner-ad|paywall|toast|offcanvas|drawer|minicart|' +
    'dropdown|searchbox|search-form|searchform|print-only|noprint|no-print|back-to-top|feedback',
);
const OTHER_FRAME = words(
  'footer|masthead|topbar|cookies?|consent|popups?|modals?|newsletter|login|signup|share',
);
/** Names for other offers of the site. */
const BESIDE = words(
  'sidebar|side-bar|rail|related|related-?(?:posts|articles|stories|content)|jp-relatedposts|' +
    'yarpp|verwandte|aehnliche|relacionadas?|recommend|recommended|recommendations?|recirc|promo|' +
    'promos|promoted|outbrain|taboola|trending|popular|' +
    'most-read|most-viewed|more-stories|more-news|read-more|readmore|read-next|also-like|see-also|' +
    'up-next|next-article|partner|partners|prev-next|' +
    'post-navigation|nextprev|call-to-action|cta|donate|recently-viewed|upsell|cross-sell|' +
    'crosssell|similar|you-may-also|contact|disclaimers?',
);
/** Those of them, and of the names below, for calls to do something. Some pages are made of boxes with such names. */
const CALL_NAMES = 'call-to-action|cta|promos?|teasers?';
const CALLS = words(CALL_NAMES);
const CALLED = new RegExp(CALLS, 'g');
/** Names for what comes with an article but is not its text: author, date, captions, pull quotes. */
const ABOUT = words(
  'byline|postmetadata|post-?info|entry-utility|authorbox|autor|autorenbox|saboxplugin|vgwort|' +
    'author-?(?:box|bio|info|card|name|details|meta|block|image|avatar)|' +
    '(?:post|entry|article|about|about-the)-author|bio|contributors?|' +
    'tags|tag-?list|tag-?links|keywords|topics|meta|' +
    '(?:post|entry|article)-(?:meta|date|footer|actions|tools|tags)|posted-on|date-?time|dateline|' +
    'timestamp|published|pub-?date|' +
    'read(?:ing)?-?time|views|view-count|share-?count|comment-?count|reactions?|rating|ratings|' +
    'vote|likes|print|email|credit|copyright|kicker|eyebrow|' +
    'caption|captions|wp-caption-text|gallery|slideshow|video-player|jwplayer|pull-?quote|teaser|' +
    'teasers|toc|table-of-contents|jump|inline-related|' +
    'tooltips?|tool-?tip|popover|hover-?card|(?:hover|rollover)(?:-\\w+)?-(?:block|box|card|content)|in-?article-?(?:promo|ad)|inline-promo|' +
    'ad-?(?:slot|container|wrapper|unit)|poll|quiz|app-download|correction-link|latest-news|' +
    'top-stories|most-recent|foot-?notes?',
);
/** Those of them that Markdown shows all the same. */
const SIDE_TEXT_NAMES = 'captions?|wp-caption-text|foot-?notes?|endnotes?';
const SIDE_TEXT = words(SIDE_TEXT_NAMES);
export const isSideText = (el: El): boolean => el.names !== '' && SIDE_TEXT.test(el.names) && el.tag !== 'a';
const COMMENT_NAMES =
  'comments?|comment-?list|comments-area|respond|disqus|kommentare?|commentaires?|comentarios?|' +
  'reacties|leserkommentare|user-?comments|discussion-?comments';
const COMMENTS = words(COMMENT_NAMES);
const REVIEW_NAMES = 'reviews?|user-reviews|customer-reviews|testimonials?';
const REVIEWS = words(REVIEW_NAMES);
/** One look at a name is enough for nearly all elements. */
const COMMENTS_OR_CALLS = words(`${COMMENT_NAMES}|${CALL_NAMES}`);
const BESIDES = words(`${COMMENT_NAMES}|${REVIEW_NAMES}|${SIDE_TEXT_NAMES}`);
/** Names for what forums show about a poster beside each post. */
const POSTER = words(
  'user-?extras|user-?title|user-?banner|signature|sig|user-?stats|badges?|post-?count|rank|' +
    'user-details-extra|member-?info|author-?stats|reputation|post-menu|post-controls|post-actions|' +
    'message-actions?|attribution-(?:opposite|gadget|discussion)|reactions?-?bar',
);
const FRAME_ROLES = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'search',
  'dialog',
  'alertdialog',
  'menu',
  'menubar',
  'toolbar',
  'tooltip',
  'alert',
]);
/** Names that say the opposite: this is the content. */
const CONTENT = words(
  'article|articlebody|article-body|story|story-body|entry-content|post-content|post-body|main|' +
    'content|page-content|body-content|has-sidebar|with-sidebar|no-sidebar',
);

/** A quotation from a social network is part of the text that quotes it. */
const EMBED = words('embed|embeds|embedded|tweet|twitter-tweet|instagram-media|fb-post');

const MENU = words('menus?|submenu|megamenu|nav|navs|navigation|dropdown|drawer|offcanvas');
/** The longest menu without links to leave out. A longer one lists dishes, or is a part that opens. */
const LONGEST_LABELS = 200;
const isDishes = (el: El): boolean =>
  el.chars > LONGEST_LABELS && linkShare(el) < 0.2 && MENU.test(el.names) && !OTHER_FRAME.test(el.names);

/** The foot of one card or one quotation is no foot of the page. */
const CARD_FOOT = /(?:card|quote|tile)[-_]*foot(?:er)?(?:$|[\s_-])/;
/** Alerts that a script fills are short. A longer one, without links, is a note in the text. */
const LEAST_NOTE = 80;
const isNote = (el: El): boolean => el.attrs.role === 'alert' && el.prose >= LEAST_NOTE && el.linkChars === 0;

/** Recognises elements that frame the page, whatever its kind. */
const framesPage = (el: El): boolean =>
  el.tag === 'nav' ||
  el.tag === 'footer' ||
  el.tag === 'search' ||
  (FRAME_ROLES.has(el.attrs.role ?? '') && !isNote(el)) ||
  (isCalled(el, FRAME) &&
    !EMBED.test(el.names) &&
    !isDishes(el) &&
    !(el.prose > 0 && CARD_FOOT.test(el.names)));

/** Names of boxes beside a text that warn or advise: the text would say something else without them. */
const ADVICE = words('warning|caution|danger|notes?|tips?|important|admonition|callout|hint');
export const isAdvice = (el: El): boolean =>
  (el.names !== '' && ADVICE.test(el.names)) || el.attrs.role === 'note';

const QUOTED = words('quotes?|blockquote');
const holdsQuotation = (el: El): boolean =>
  el.kids.some((kid) => typeof kid !== 'string' && (kid.tag === 'blockquote' || holdsQuotation(kid)));

/** Tells whether an aside quotes another page and links to it. A pull quote only repeats the text beside it. */
const quotesAnother = (el: El): boolean => QUOTED.test(el.names) && el.linkChars > 0 && holdsQuotation(el);

/** Tells whether an aside is a note of sentences between the paragraphs of a text. */
const isNoteInText = (el: El): boolean =>
  !QUOTED.test(el.names) &&
  el.prose > el.chars * 0.8 &&
  el.linkChars < el.chars * 0.05 &&
  (el.up?.kids ?? []).some((kid) => typeof kid !== 'string' && kid.tag === 'p' && kid.prose > 0);

/** Recognises elements that offer something else. */
const standsBeside = (el: El): boolean =>
  (el.tag === 'aside' && !isAdvice(el) && !isNoteInText(el) && !quotesAnother(el)) ||
  el.attrs.role === 'complementary' ||
  isCalled(el, BESIDE);

const hasHeading = (el: El): boolean =>
  el.kids.some((kid) => typeof kid !== 'string' && (/^h[1-6]$/.test(kid.tag) || hasHeading(kid)));

/** With this share of the running text, boxes that are called calls are what the page says. */
const LEAST_CALLED = 0.2;
/** A call has a button or a link. Boxes of the text say more than that. */
const MOST_LINKED = 0.35;

/** Gives the test for elements to leave out of a kind of page. */
function unwanted(kind: Kind | 'frame', callsAreText: boolean): (el: El) => boolean {
  if (kind === 'frame') return framesPage;
  const isCall = (el: El, others: RegExp) =>
    callsAreText && CALLS.test(el.names) && !others.test(el.names.replace(CALLED, ' '));
  const isBeside = (el: El) => standsBeside(el) && !isCall(el, BESIDE);
  if (kind === 'article')
    return (el) =>
      framesPage(el) || (isBeside(el) && !hasTitle(el)) || (isCalled(el, ABOUT) && !isCall(el, ABOUT));
  if (kind === 'thread') return (el) => framesPage(el) || isBeside(el) || isCalled(el, POSTER);
  if (kind === 'product') return (el) => framesPage(el) || isBeside(el) || isCalled(el, REVIEWS);
  return (el) => framesPage(el) || (isBeside(el) && !hasTitle(el));
}

/** Elements inside a sentence stay, whatever their names: a sentence with a hole says something else. */
const INLINE = new Set([
  'a',
  'b',
  'strong',
  'em',
  'i',
  'u',
  'code',
  'mark',
  'abbr',
  'cite',
  'q',
  'sub',
  'sup',
  'kbd',
]);

const hasTitle = (el: El): boolean =>
  el.kids.some((kid) => typeof kid !== 'string' && (kid.tag === 'h1' || hasTitle(kid)));

/** A header this near below an article's element is that article's own. */
const HEADER_LEVELS = 12;
/** Tells whether an element stands in an article, a post or a card. Its header names it, its writer or its day. */
const inArticle = ({ up }: El, levels = HEADER_LEVELS): boolean =>
  up !== null && levels > 0 && (up.tag === 'article' || inArticle(up, levels - 1));

/** The largest share of a page that may go by its name alone. More than that is likely the page itself. */
const MOST_OF_PAGE = 0.45;
const MOST_OF_COMMENTED_PAGE = 0.97;

/** Names that leave no doubt. A page of things may have less running text than the notice about cookies over it. */
const NEVER_TEXT = words('sidebar|side-bar|cookies?|consent|gdpr|modals?|popups?');

/** Counts the characters of comments, reviews and footnotes. A page may leave them out and lose nothing of its own. */
export function besidesIn(root: El): number {
  let chars = 0;
  visit(root, (el) => {
    if (!isCalled(el, BESIDES) || (el.tag === 'a' && !isCalled(el, COMMENTS) && !isCalled(el, REVIEWS)))
      return true;
    chars += el.chars;
    return false;
  });
  return chars;
}

/** Finds elements to leave out by their names, before the search for the text. */
export function strippable(root: El, kind: Kind | 'frame'): Set<El> {
  const dropped = new Set<El>();
  const weigh = (el: El) => (root.prose ? el.prose : el.chars);
  const total = weigh(root) || 1;
  let discussed = 0;
  let called = 0;
  visit(root, (el) => {
    if (!isCalled(el, COMMENTS_OR_CALLS)) return true;
    if (isCalled(el, COMMENTS)) discussed += weigh(el);
    else if (linkShare(el) < MOST_LINKED && hasHeading(el)) called += el.prose;
    return false;
  });
  const named = unwanted(kind, called > root.prose * LEAST_CALLED);
  // A page with little but comments is there for its comments.
  const hasText = total - discussed > 300;
  // In a forum, comments are posts, unless the posts are questions and answers.
  const dropComments = kind === 'thread' ? discussed < total * 0.5 : kind !== 'list' && kind !== 'frame';
  const isShelf = kind === 'product' || kind === 'list' || kind === 'other';
  visit(root, (el) => {
    // A whole page may stand in one form.
    if (isControl(el) && (el.tag !== 'form' || el.chars <= root.chars * MOST_OF_PAGE)) {
      dropped.add(el);
      return false;
    }
    if (isShelf && isChoice(el, root)) {
      dropped.add(el);
      return false;
    }
    if (INLINE.has(el.tag)) return true;
    const share = weigh(el) / total;
    const comments = dropComments && isCalled(el, COMMENTS) && hasText;
    const header =
      el.tag === 'header' &&
      el.prose < Math.max(200, el.chars * 0.05) &&
      linkShare(el) > 0.3 &&
      !inArticle(el) &&
      !hasTitle(el);
    const limit = comments ? MOST_OF_COMMENTED_PAGE : MOST_OF_PAGE;
    if (
      (comments || header || named(el)) &&
      (share <= limit || (el.chars <= root.chars * limit && isCalled(el, NEVER_TEXT))) &&
      !(CONTENT.test(el.names) && share > 0.1 && !comments)
    ) {
      dropped.add(el);
      return false;
    }
    return true;
  });
  return dropped;
}
