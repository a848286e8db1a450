import type { Kind } from '../page-kind.ts';

/** Reduces a title to its letters and digits, to compare two titles. */
export const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Marks between a title and a site's name. */
export const SEPARATOR = /\s+[|\-–—·•»«:/\\~]+\s+|\s*[|»·•]\s*/g;

/**
 * A site's name may be this much longer in a title, as in `Harbour Paper Online`. A longer addition is
 * somebody's headline.
 */
const LONGEST_ADDITION = 24;

/** An address written as a name: `paper.example`. */
const IS_ADDRESS = /^[^\s.]+\.\S+$/;

/** Cuts the site's name off a title's end or start, but not off its start what a heading of the page is called. */
export function withoutSite(
  title: string,
  site: string,
  host: string,
  headings: readonly string[] = [],
): string {
  if (site && title.startsWith(`${site}: `)) return title.slice(site.length + 2);
  const parts: { text: string; at: number; end: number }[] = [];
  let from = 0;
  for (const match of title.matchAll(SEPARATOR)) {
    parts.push({ text: title.slice(from, match.index), at: from, end: match.index });
    from = match.index + match[0].length;
  }
  parts.push({ text: title.slice(from), at: from, end: title.length });
  if (parts.length < 2) return title;
  const names = [bare(site), bare(host)].filter(Boolean);
  const isSite = (text: string, isAdded: boolean) => {
    const plain = bare(text);
    return (
      plain !== '' &&
      names.some(
        (name) =>
          name === plain ||
          (plain.length > 3 && name.startsWith(plain)) ||
          (isAdded &&
            name.length > 3 &&
            plain.startsWith(name) &&
            plain.length < name.length + LONGEST_ADDITION),
      )
    );
  };
  const last = parts.at(-1);
  const first = parts[0];
  const again = (rest: string) => withoutSite(rest, site, host, headings);
  if (last && isSite(last.text, true)) return again(title.slice(0, parts.at(-2)?.end));
  if (!first || headings.some((heading) => bare(heading) === bare(first.text))) return title;
  // What begins a title with the name and goes on is rather a thing of the site's: `Paper Boats | Folded by hand`.
  return isSite(first.text, IS_ADDRESS.test(first.text)) ? again(title.slice(parts[1]?.at).trim()) : title;
}

const wordCount = (text: string) => text.split(/\s+/).length;

/**
 * Cuts the last part after a bar or dash, if enough is left. The site's name is not known here, and that part
 * usually is it.
 */
export function cutTail(title: string): string {
  const cut = title.replace(/\s*[|»·•]\s*[^|»·•]*$|\s+[-–—]\s+[^-–—|]*$/, '');
  return wordCount(cut) >= 3 && cut.length >= 12 ? cut : title;
}

/** Gives the host's own name, without `www` and the endings it is registered under. */
export function hostOf(url: string): string {
  try {
    return new URL(url).hostname
      .replace(/^www\./, '')
      .replace(/(?:\.(?:com?|org|net|gov|edu|ac))?\.[a-z]+$/, '');
  } catch {
    // Without an address, the site's name comes from the metadata alone.
    return '';
  }
}

/** Tells whether an address is a site's front page. */
export function isFrontPage(url: string): boolean {
  try {
    return new URL(url).pathname === '/';
  } catch {
    // A page without an address is not a front page.
    return false;
  }
}

/**
 * Gives the title of a front page. The site's name is its title and stays where it comes first, because the
 * heading is a slogan.
 */
export function frontTitle(title: string, site: string, host: string): string {
  const cut = withoutSite(title, site, host);
  return title.startsWith(cut) ? cut : title;
}

/** The tag that begins a thread's title, as in `Solved - How to caulk a hull`: a word or two and a hyphen. */
const TAG = /^\S+(?: \S+)? - (?=\S+ \S+ \S)/;
/** The count in a list's title, or the note that a product's page has reviews. */
const COUNT = /\s*\(\d[\d.,]*(?: \p{L}+)?\)$/u;
const REVIEWS = /\s+(?:&|and) reviews$/i;

/** The count of things in the title of a page that may be a list. A number alone could be a year or a part. */
const COUNT_OF_THINGS = / ?\(\d[\d.,]* \p{L}{3,}\)$/u;

const AROUND: Partial<Record<Kind, RegExp>> = {
  thread: TAG,
  list: COUNT,
  product: REVIEWS,
  other: COUNT_OF_THINGS,
};

/** Removes what pages of this kind add to a title around the name of what they show. */
export function ofItself(title: string, kind: Kind): string {
  const around = AROUND[kind];
  return (around && title.replace(around, '')) || title;
}

/** Cuts the section's name after a bar, if enough of a headline is left. */
export function withoutSection(title: string): string {
  const cut = title.replace(/\s+\|\s+[^|]{1,30}$/, '');
  return wordCount(cut) >= 4 ? cut : title;
}
