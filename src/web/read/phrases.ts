/** Lines that a page says to its visitor rather than to its reader, by kind of page. */

const line = (phrases: readonly string[]) => new RegExp(`^\\W*(?:${phrases.join('|')})\\W*$`, 'iu');

/** Lines on any page. */
const ANYWHERE = [
  'advert(?:isement|isment)?s?|anzeige|werbung|publicidad|publicité|pubblicità|iklan|sponsored|реклама',
  'loading|close|caption|menu|search|print|email|tweet|facebook|twitter|linkedin|pinterest|whatsapp',
  'instagram|reddit|copy(?: link| url)?|copied',
  'share(?: this.{0,40}| on .{0,30})?|teilen|partager|compartir|compartilhar|condividi|поделиться',
  'continue reading.{0,60}|story continues.{0,60}|article continues.{0,60}|scroll to continue.{0,40}',
  '(?:©|copyright\\b|\\(c\\) (?:19|20)\\d\\d).{0,160}|.{0,80}all rights reserved.{0,100}',
  'sign up|sign in|log ?in|log ?out|register|subscribe|unsubscribe|follow|join now|skip to .{0,40}',
  'back to top|go to top|jump to .{0,30}',
  '(?:show|load|view|see) (?:more|all|less)|next|prev(?:ious)?|page \\d+(?: of \\d+)?',
  'this slideshow requires javascript|please enable javascript.{0,120}',
  'your browser does not support.{0,120}',
  '(?:accept|reject|manage) (?:all )?cookies|we use cookies.{0,200}',
  'cookie (?:settings|preferences|policy)|privacy policy',
  'terms (?:of (?:use|service)|and conditions)',
  'learn more|find out more|read more|more info(?:rmation)?|apply now|(?:shop|buy|book|order) now',
  '.{0,40}\\{\\{.{1,80}\\}\\}.{0,40}',
  'view (?:details|options|product)|see details|get (?:started(?: for free)?|in touch)|contact us',
];

/** Lines between and under an article's paragraphs. */
const ARTICLE = [
  '(?:ähnliche|verwandte|weitere) (?:beiträge|artikel|themen|meldungen).{0,60}',
  'das könnte (?:dich|sie|ihnen) auch.{0,60}|auch interessant.{0,100}|teilen mit:?',
  'gefällt mir:?.{0,40}|wird geladen.{0,5}|schlagwörter:?.{0,200}',
  'veröffentlicht (?:in|unter|am).{0,120}|kategorien?:?.{0,160}|\\d+ kommentare?',
  'schreibe? einen kommentar.{0,40}|kommentar (?:schreiben|verfassen).{0,20}',
  'antworten(?: abbrechen)?|drucken|merken|zur startseite|nach oben|mehr lesen.{0,40}',
  '(?:hier )?newsletter (?:abonnieren|bestellen).{0,80}',
  'articles? (?:similaires?|liés?).{0,60}|à lire aussi.{0,140}',
  'partager (?:sur|cet article|ceci).{0,60}|laisser un commentaire.{0,40}',
  'artículos? relacionados?.{0,60}|te puede interesar.{0,100}|dejar? un comentario.{0,40}',
  'artigos? relacionados?.{0,60}|articoli correlati.{0,60}|lees ook.{0,140}',
  'gerelateerde artikelen.{0,60}|powiązane.{0,60}|czytaj (?:też|także|więcej).{0,140}',
  '.{0,120}\\b(?:affiliate links|commission (?:at no|if you|from))\\b.{0,200}',
  '(?:affiliate )?disclosure:.{0,280}',
  '(?=.*\\b(?:sign up|subscribe|inbox|delivered|join)\\b).{0,200}\\bnewsletters?\\b.{0,120}',
  '.{0,60}\\bdelivered (?:straight |right )?to your inbox\\b.{0,80}',
  'view all (?:articles|posts).{0,60}|latest posts by.{0,60}|(?:show|hide) caption|click to tweet',
  '\\[[a-z_]+ [^\\]]*\\].{0,80}|check (?:the )?(?:latest )?price.{0,40}',
  'have a (?:news )?tip\\?.{0,200}|the associated press|reuters',
  'read (?:more|next|also|the full)\\b.{0,120}|see (?:more|also)\\b.{0,120}',
  'related(?: .{0,25})?:?.{0,140}|more (?:from|on|in|about)\\b.{0,80}|more:.{0,120}',
  'also (?:read|see|on)\\b.{0,140}',
  'mehr (?:zum thema|dazu|lesen).{0,100}|lesen sie auch.{0,120}|lire aussi.{0,120}',
  'leia (?:mais|também).{0,120}|lea también.{0,120}|leggi anche.{0,120}|baca juga.{0,120}',
  'читайте также.{0,120}',
  "don['’]t miss.{0,100}|watch(?: now| more)?:.{0,120}|click here.{0,160}|tap here.{0,120}",
  'sign up (?:for|to|here)\\b.{0,200}|subscribe (?:to|now|here)\\b.{0,200}',
  'get (?:the|our) .{0,40}(?:newsletter|app)\\b.{0,80}',
  'follow (?:us|.{2,40}) on (?:twitter|facebook|instagram|x|google|linkedin)\\b.{0,160}',
  'like us on\\b.{0,100}|you (?:may|might) also (?:like|enjoy)|recommended.{0,40}|trending.{0,40}',
  'popular.{0,40}|most (?:read|popular|viewed)',
  'image caption\\b.{0,300}',
  '(?:photo|image|picture|credit|foto|quelle|photograph)s?(?: credit| by| courtesy(?: of)?)?:.{0,100}',
  'updated (?:at|on)?.{0,60}|tags?:.{0,200}|filed under.{0,160}|posted in.{0,160}',
  'comments?(?: \\(\\d+\\))?|\\d+ comments?|leave a (?:comment|reply).{0,40}|no comments(?: yet)?',
];

/** Lines that forums print around every post. */
const THREAD = [
  '(?:junior |senior |new |full |active |veteran )?members?|moderators?|administrators?|admin|staff',
  'registered(?: user)?|guests?|author|original poster|thread starter|op|newbie|regular',
  'joined:?.{0,30}|member since.{0,30}|posts?:?[\\d,. ]*|messages:?[\\d,. ]*|reputation:?[\\d,. ]*',
  'reaction score:?[\\d,. ]*|points:?[\\d,. ]*|solutions?:?[\\d,. ]*|location:?.{0,40}|age:?[\\d ]*',
  'trophy points.{0,10}|gender:?.{0,10}',
  'reply|quote|like|likes?:? ?\\d*|\\d+ likes?|report(?: post)?|link|share|edit|delete|bookmark',
  'thanks?|upvote|downvote|helpful|award|give award|wrote on|said in|said|post #?\\d+',
  '#? ?\\d[\\d,.]*k?|.{0,2}',
  'posted .{3,40}\\(edited\\)|\\d+ (?:days?|weeks?|months?|years?) later',
  '.{0,40}\\d[\\d.,km]* views?\\b.{0,40}\\brepl(?:y|ies)\\b.{0,100}',
  'last edited.{0,80}|edited .{0,80}|reactions?:.{0,160}|.{1,60} and \\d+ others?|click to expand',
  '\\\\?\\$\\\\(?:begin|end)group\\\\?\\$|log in (?:or|to).{0,60}|you must (?:be logged|log) in.{0,80}',
  '\\d+ (?:replies|views|posts|users|links)|reset to default|ask question|start asking to get answers',
  'find the answer to your question by asking|explore related questions|see similar questions.{0,40}',
  'click to (?:expand|shrink).{0,5}|view attachment \\d+|sent from my .{0,60}|reply to this topic.{0,20}',
];

/** Lines that shops print around goods. */
const SHOP = [
  'add to (?:cart|bag|basket|wish ?list|favou?rites|compare)|buy (?:it )?now',
  'quick (?:view|add|shop|buy)|in den warenkorb|ajouter au panier|aggiungi al carrello',
  'añadir al carrito|notify me.{0,40}|choose options|select (?:options|size|colou?r)|sold out',
  'out of stock|in stock|pre-?order',
  'sort by.{0,40}|filters?(?: by)?|clear(?: all)?(?: filters)?|compare|wish ?list|quantity|qty',
  'size guide|regular price|sale price|unit price(?: / per)?|write a review|\\d+ reviews?',
  'no reviews|check availability|find in store|(?:loaded )?[\\d.,]+ (?:items|products|results)|[\\d.,]+ ?[–-] ?[\\d.,]+ of [\\d.,]+.{0,20}|add to my.{0,20}',
  'sku:?.{0,30}|skip to (?:product|listing|the ).{0,30}|skip listing|view full details|return to top.{0,20}',
  'show (?:more|less)(?:\\W+show (?:more|less))*\\W*|\\d+ / (?:of )?\\d+|regular price sale price.{0,20}|sort:?(?: by)? .{0,30}',
  '(?:or )?(?:\\d+|three|four) (?:interest-free )?(?:payments|instal?lments) of\\b.{0,60}',
  '\\d+ people are (?:viewing|looking at) this.{0,20}|secure checkout|(?:save|share) this \\p{L}+:.{0,250}',
  '(?:not (?:yet )?a|already a|become a|for|new) members?\\b.{0,60}|members? (?:price|save|pay|only)\\b.{0,40}',
  '(?:not |already |new )(?:registered|a customer|here|have an account)\\b.{0,60}|forgot (?:your )?password\\b.{0,20}',
  '(?:(?:please )?(?:sign|log) in|create an account|join|register)(?: (?:now|today|here|free|for free|or .{2,20}))* (?:to|for) .{2,90}',
];

const ARTICLE_LINE = line([...ANYWHERE, ...ARTICLE]);
const THREAD_LINE = line([...ANYWHERE, ...THREAD]);
const SHOP_LINE = line([...ANYWHERE, ...SHOP]);
const ANY_LINE = line(ANYWHERE);

/** Longer lines are somebody's own words. */
const LONGEST = 320;

/** Recognises lines that belong to the site and not to a page of this kind. */
export function isFurniture(text: string, kind: string): boolean {
  if (text.length > LONGEST) return false;
  if (kind === 'article') return ARTICLE_LINE.test(text);
  if (kind === 'thread') return THREAD_LINE.test(text);
  return kind === 'product' || kind === 'list' || kind === 'other'
    ? SHOP_LINE.test(text)
    : ANY_LINE.test(text);
}

/** Lines above an article with its author, date and reading time. */
export const ABOUT_LINE =
  /^(?:by|von|par|por|di|written by|posted|published|updated|last updated|author|text|foto|photo)\b|\b(?:19|20)\d\d\b|\b\d+\s*(?:min|minutes?|hours?|days?)\b|\d{1,2}:\d\d|^\W*$|^\d+$/i;

/** A line that ends with the name of a photographer is a picture's caption. */
const CREDITED =
  /(?:\((?:ap |file |afp )?(?:photo|image|picture|pic|foto|credit|photograph)s?\b[^)]{0,80}\)|\b(?:photo|image|picture|foto|photograph)s?(?: credit| courtesy)?(?: by| of|:| ©) [^.]{2,60}|\b(?:getty images|shutterstock|istock|ap photo|afp|reuters|unsplash|alamy)(?:\/[^.]{2,50})?|© ?[^.]{2,60})\W*$/i;

export const isCaption = (text: string): boolean => text.length < LONGEST && CREDITED.test(text);

/** Recognises the usual sentence or two about the author, which begin with the author's name. */
export function isAboutAuthor(text: string, byline: string | null): boolean {
  const author = byline
    ?.split(/,|\band\b|&/)[0]
    ?.trim()
    .toLowerCase();
  if (!author || author.length < 5 || text.length > 800) return false;
  const start = text.toLowerCase().replace(/^(?:about|by|dr\.?|prof\.?)\s+/, '');
  return (
    start.startsWith(author) &&
    /^.{0,40}\b(?:is|was|has|writes|covers|works|leads|joined|lives|helps|,)\b/.test(
      start.slice(author.length),
    )
  );
}
