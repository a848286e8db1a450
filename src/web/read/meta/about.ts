import type { Page } from '../tree.ts';
import { type Facts, firstMeta, isPageNode, isWriting, type LdNode, ldText, tidy } from './facts.ts';
import { isoDate } from './written-date.ts';

/** A page's statements about itself besides title, author and date. Missing ones are left out. */
export interface About {
  readonly canonical_url?: string;
  readonly description?: string;
  readonly site_name?: string;
  readonly image?: string;
  readonly tags?: string[];
  /** The time of its last change, as ISO 8601. */
  readonly modified_at?: string;
  /** True if the page says that its whole text is for subscribers. */
  readonly paywalled?: true;
}

const LONGEST_DESCRIPTION = 500;
const LONGEST_NAME = 120;
const MOST_TAGS = 20;
const LONGEST_TAG = 60;

const MODIFIED = [
  ...['article:modified_time', 'og:updated_time', 'og:article:modified_time', 'last-modified'],
  ...['dcterms.modified', 'dc.date.modified', 'itemprop:datemodified', 'datemodified', 'lastmod', 'revised'],
];

/** Gives a JSON-LD image's address: it may be a text, an object, or several of either. */
function imageIn(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  // A hostile page nests lists in lists without an end.
  if (depth > 10) return '';
  if (Array.isArray(value)) return imageIn(value[0], depth + 1);
  if (typeof value === 'object' && value !== null) {
    const { url, contentUrl } = value as LdNode;
    return imageIn(url ?? contentUrl ?? '', depth + 1);
  }
  return '';
}

function tagsOf(facts: Facts, nodes: readonly LdNode[]): string[] {
  const said = [
    firstMeta(facts, ['article:tag', 'news_keywords', 'parsely-tags', 'sailthru.tags', 'keywords']),
    ...nodes.flatMap(({ keywords }) => (Array.isArray(keywords) ? keywords.map(ldText) : [ldText(keywords)])),
  ];
  const tags = said.flatMap((text) => text.split(/[,;]/)).map((tag) => tag.trim());
  const unique = new Map(tags.map((tag) => [tag.toLowerCase(), tag]));
  return [...unique.values()].filter((tag) => tag !== '' && tag.length <= LONGEST_TAG).slice(0, MOST_TAGS);
}

const isLocked = ({ isAccessibleForFree: free }: LdNode): boolean =>
  free === false || (typeof free === 'string' && /^\W*(?:https?:\/\/schema\.org\/)?false\W*$/i.test(free));

/** Reads what the head and the JSON-LD say about the page. */
export function aboutOf(page: Page, facts: Facts, address: (href: string | undefined) => string): About {
  const writing = facts.ld.filter(isWriting);
  const nodes = [...writing, ...facts.ld.filter(isPageNode)];
  const first = (names: readonly string[], key: string) =>
    firstMeta(facts, names) || nodes.map((node) => ldText(node[key])).find(Boolean) || '';
  const web = (href: string) => {
    const whole = address(href);
    return /^https?:/.test(whole) ? whole : '';
  };
  const canonical = web(page.canonical || firstMeta(facts, ['og:url']));
  const description = first(
    ['og:description', 'description', 'twitter:description', 'dc.description'],
    'description',
  );
  const publisher = nodes.map((node) => ldText(node.publisher)).find(Boolean) ?? '';
  const site = firstMeta(facts, ['og:site_name', 'application-name']) || publisher;
  const image = web(
    firstMeta(facts, [
      'og:image:secure_url',
      'og:image',
      'og:image:url',
      'twitter:image',
      'twitter:image:src',
    ]) ||
      nodes.map((node) => imageIn(node.image)).find(Boolean) ||
      '',
  );
  const modified = isoDate(first(MODIFIED, 'dateModified'));
  const tags = tagsOf(facts, writing);
  const parts = writing.flatMap((node) => [node, ...[node.hasPart].flat()]);
  const isPaid =
    parts.some((part) => typeof part === 'object' && part !== null && isLocked(part as LdNode)) ||
    /^(?:locked|premium|paid)$/i.test(firstMeta(facts, ['article:content_tier']));
  return {
    ...(canonical ? { canonical_url: canonical } : {}),
    ...(description ? { description: tidy(description).slice(0, LONGEST_DESCRIPTION) } : {}),
    ...(site ? { site_name: site.slice(0, LONGEST_NAME) } : {}),
    ...(image ? { image } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(modified ? { modified_at: modified } : {}),
    ...(isPaid ? { paywalled: true } : {}),
  };
}
