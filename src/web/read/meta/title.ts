import type { Kind } from '../kind.ts';
import { plainText, visit } from '../measure.ts';
import type { El, Page } from '../tree.ts';
import { type Facts, firstMeta, isWriting, ldText, tidy } from './facts.ts';

const bare = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** What stands between a title and a site's name. */
const SEPARATOR = /\s+[|\-–—·•»«:/\\~]+\s+|\s*[|»·•]\s*/g;

/** The page's main headings, as they are written. */
export function headings(root: El): string[] {
  const found: string[] = [];
  visit(root, (el) => {
    if (el.tag !== 'h1') return true;
    const text = tidy(plainText(el));
    if (text && text.length < 300) found.push(text);
    return false;
  });
  return found;
}

/** Cuts the site's name off a title's end or start. */
function withoutSite(title: string, site: string, host: string): string {
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
  const isSite = (text: string) => {
    const plain = bare(text);
    return (
      plain !== '' &&
      names.some(
        (name) =>
          name === plain ||
          (plain.length > 3 && name.startsWith(plain)) ||
          (name.length > 3 && plain.startsWith(name)),
      )
    );
  };
  const last = parts.at(-1);
  const first = parts[0];
  if (last && isSite(last.text)) return withoutSite(title.slice(0, parts.at(-2)?.end), site, host);
  if (first && isSite(first.text)) return title.slice(parts[1]?.at).trim();
  return title;
}

const wordCount = (text: string) => text.split(/\s+/).length;

/** Without a site's known name, a last part after a bar or dash is taken for it if enough is left. */
function cutTail(title: string): string {
  const cut = title.replace(/\s*[|»·•]\s*[^|»·•]*$|\s+[-–—]\s+[^-–—|]*$/, '');
  return wordCount(cut) >= 3 && cut.length >= 12 ? cut : title;
}

/** The sign by which documentation links to a heading. */
const withoutAnchor = (heading: string) => heading.replace(/\s*[¶#§🔗]\s*$/u, '');

function hostOf(url: string): string {
  try {
    return new URL(url).hostname
      .replace(/^www\./, '')
      .replace(/(?:\.(?:com?|org|net|gov|edu|ac))?\.[a-z]+$/, '');
  } catch {
    // Without an address the site's name comes from the metadata alone.
    return '';
  }
}

/** Where a page's title is looked for besides its metadata: its main headings, and the kind of page they head. */
export interface Headed {
  readonly headings: readonly string[];
  readonly kind: Kind;
}

/** A heading this short over an article may be a section's; goods and shelves are named in a word or two. */
const SHORTEST_HEADLINE = 12;
const SHORTEST_NAME = 5;

/** The title without the site's name: an article's own heading, else the title element or what of it the page repeats. */
export function titleOf(
  page: Page,
  { headings: all, kind }: Headed,
  facts: Facts,
  url: string,
): string | null {
  const site = firstMeta(facts, [
    'og:site_name',
    'application-name',
    'al:ios:app_name',
    'twitter:app:name:iphone',
  ]);
  const host = hostOf(url);
  const heads = [...new Set(all.map(withoutAnchor))].filter(
    (head) => bare(head) !== bare(site) && head.length > 3,
  );
  const whole = tidy(page.title);
  const shared = firstMeta(facts, ['og:title', 'twitter:title', 'dc.title', 'itemprop:headline']);
  const written =
    facts.ld
      .filter(isWriting)
      .map((node) => ldText(node.headline))
      .find(Boolean) ?? '';
  const article = kind === 'article' || kind === 'product' || kind === 'list';
  const from = whole || shared || written;
  if (!from) return heads[0] ?? null;
  const sayings = [from, shared, written].filter(Boolean).map((each) => withoutSite(each, site, host));
  const named = sayings[0] ?? from;
  const agreed = heads.find((head) => sayings.some((saying) => bare(saying).startsWith(bare(head))));
  const only = heads.length === 1 ? heads[0] : undefined;
  const lead = bare(named.split(SEPARATOR)[0] ?? '');
  if (
    agreed &&
    (article || agreed === only || bare(agreed) === lead || bare(agreed).length > bare(named).length * 0.3)
  )
    return agreed;
  const longer = sayings.find(
    (saying) => bare(saying).length > 12 && heads.some((head) => bare(head).startsWith(bare(saying))),
  );
  if (longer) return longer;
  if (article && only && only.length > (kind === 'article' ? SHORTEST_HEADLINE : SHORTEST_NAME)) return only;
  if (named !== from) return named;
  const inside = heads.find(
    (head) => bare(head).length > bare(from).length * 0.4 && bare(from).includes(bare(head)),
  );
  return inside ?? cutTail(named);
}
