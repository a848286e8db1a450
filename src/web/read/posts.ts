import { linkShare, visit } from './measure.ts';
import type { El } from './tree.ts';

const HEADING = /^h[1-4]$/;
/** Shorter text stands in a header, and the post goes on after it. */
const LEAST_OWN = 60;
/** Looking around in longer lists would take time. */
const MOST_BESIDE = 400;

/** Gives the heading that an element's text begins with. */
function firstHeading(el: El): El | undefined {
  for (const kid of el.kids) {
    if (typeof kid === 'string' ? kid.trim() === '' : kid.chars === 0) continue;
    if (typeof kid === 'string') return undefined;
    return HEADING.test(kid.tag) ? kid : firstHeading(kid);
  }
  return undefined;
}

const isOfKind = (el: El, own: El): boolean =>
  el.tag === own.tag && (el.tag === 'article' || (el.attrs.class ?? '') === (own.attrs.class ?? ''));

/**
 * Finds the posts that a site puts below an article: they are built like it, and begin with a title that
 * links to their own page, or with another main heading.
 */
export function otherPosts(root: El): Set<El> {
  const found = new Set<El>();
  let title: El | undefined;
  visit(root, (el) => {
    if (!title && el.tag === 'h1' && el.chars > 0) title = el;
    return !title;
  });
  if (!title || linkShare(title) > 0.5) return found;
  let own: El | null = title;
  while (own && own.prose < LEAST_OWN) own = own.up;
  const beside = own?.up?.kids ?? [];
  if (!own || beside.length > MOST_BESIDE) return found;
  for (const kid of beside.slice(beside.indexOf(own) + 1)) {
    if (typeof kid === 'string' || !isOfKind(kid, own)) continue;
    const heading = firstHeading(kid);
    if (heading && (linkShare(heading) > 0.5 || heading.tag === 'h1')) found.add(kid);
  }
  return found;
}
