import { seenCharacters } from '../text.ts';

/** Parameters that tell a site where a visitor comes from. They change nothing about the page. */
const TRACKING =
  /^(?:utm_\w+|fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|twclid|igshid|igsh|mc_[ce]id|_hs(?:enc|mi)|mkt_tok|oly_(?:anon|enc)_id|vero_id|wickedid|srsltid|ref_src|ref_url|__twitter_impression|_ga|_gl|spm|scm|cmpid|ns_(?:campaign|mchannel|source)|_openstat|wt_?mc)$/i;
/** A longer address loses its parameters, or is left out. */
const LONGEST = 1_000;
const PLAIN = /^https?:\/\/[\w.-]+(?::\d+)?(?:\/[\w\-./~%,;:@!$'+=]*)?$/;

/** Percent-encodes the characters that Markdown would take for the end of an address. */
const closed = (address: string): string =>
  seenCharacters(address).replace(
    /[()<>\\\s|`]/g,
    (c) => `%${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

/** Makes addresses on one page whole and short. */
export function addresses(page: string, base: string): (href: string | undefined) => string {
  const from = URL.canParse(base, page) ? new URL(base, page).href : page;
  const known = new Map<string, string>();
  const pageItself = page.replace(/#.*/s, '');
  return (href) => {
    const written = href?.trim() ?? '';
    if (written === '') return '';
    const before = known.get(written);
    if (before !== undefined) return before;
    const whole = absolute(written, from, pageItself);
    known.set(written, whole);
    return whole;
  };
}

function absolute(href: string, base: string, page: string): string {
  if (PLAIN.test(href)) return href.length > LONGEST ? '' : href;
  if (/^mailto:/i.test(href)) return closed(href.slice(0, LONGEST));
  if (href.startsWith('#')) return href.length > 1 && href.length < 200 ? closed(href) : '';
  if (!URL.canParse(href, base)) return '';
  const url = new URL(href, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return '';
  if (url.username !== '' || url.password !== '') return '';
  if (url.search !== '') withoutTracking(url);
  const { hash } = url;
  if (hash !== '' && url.href.slice(0, -hash.length) === page) return closed(hash);
  if (url.href.length > LONGEST) url.search = '';
  return url.href.length > LONGEST ? '' : closed(url.href);
}

/** Takes tracking parameters away and leaves the others as they were written. */
function withoutTracking(url: URL): void {
  const parameters = url.search.slice(1).split('&');
  const kept = parameters.filter((each) => !TRACKING.test(each.split('=', 1)[0] ?? ''));
  if (kept.length < parameters.length) url.search = kept.join('&');
}
