import type { Kind } from '../page-kind.ts';
import { bare, isFrontPage, SEPARATOR, withoutSection } from './site-name.ts';

/** The call with which shops and catalogues begin the heading over their lists: `Explore our oak benches`. */
const CALL = /^(?:explore|discover|browse|shop)\s/i;

/** Leaves out headings that call on the reader, unless the metadata begin so as well. */
export function withoutCalls(heads: readonly string[], sayings: readonly string[]): readonly string[] {
  return sayings.some((saying) => CALL.test(saying)) ? heads : heads.filter((head) => !CALL.test(head));
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Gives the words of an address's last part. */
function wordsOfAddress(url: string): readonly string[] {
  try {
    const last = new URL(url).pathname.split('/').findLast(Boolean) ?? '';
    return wordsOf(decodeURIComponent(last).replace(/\.\w{2,5}$/, ''));
  } catch {
    // Without an address, or with one that is badly escaped, nothing can be compared.
    return [];
  }
}

/** Kinds of pages whose headings have marks beside the name: a sign of a brand, a tag. In docs each mark counts. */
const LOOSELY_SPELT: readonly Kind[] = ['product', 'list', 'thread'];

/**
 * Gives what the metadata call a page, where its only heading is the same name in other marks, a single word of it, or
 * a slogan.
 */
export function insteadOfHeading(
  heads: readonly string[],
  sayings: readonly string[],
  kind: Kind,
  url: string,
): string | undefined {
  const [heading, ...more] = heads;
  if (heading === undefined || more.length > 0 || isFrontPage(url)) return undefined;
  const leads = sayings.map((saying) => saying.split(SEPARATOR)[0]?.trim() ?? '');
  if (LOOSELY_SPELT.includes(kind)) {
    const spelt = [...sayings, ...leads].find((saying) => isOtherwiseSpelt(saying, heading));
    if (spelt) return withoutSection(spelt);
  }
  const lead = leads[0] ?? '';
  if (kind === 'article' && goesOnFrom(heading, lead)) return lead;
  return isInAddress(lead, heading, url) ? lead : undefined;
}

/** Tells whether two texts have the same letters, and differ in more than capitals. */
const isOtherwiseSpelt = (one: string, other: string): boolean =>
  bare(one) !== '' && bare(one) === bare(other) && one.toLowerCase() !== other.toLowerCase();

/** Tells whether a heading is one word, from which the title goes on in the same phrase. */
const goesOnFrom = (heading: string, lead: string): boolean =>
  /^\p{L}+$/u.test(heading) &&
  lead.toLowerCase().startsWith(`${heading.toLowerCase()} `) &&
  wordsOf(lead).length > 2;

/** Tells whether the address consists of the title's words, and the heading has none of them. */
function isInAddress(lead: string, heading: string, url: string): boolean {
  const [address, named] = [wordsOfAddress(url), wordsOf(lead)];
  if (named.length === 0 || address.join(' ') !== named.join(' ')) return false;
  return !wordsOf(heading).some((word) => named.includes(word));
}
