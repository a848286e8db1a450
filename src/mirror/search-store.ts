import type { Sql } from '../storage/sql.ts';

/** A match in the mirrored commit, the best first. */
interface RepoHit {
  readonly path: string;
  readonly title: string;
}

/** The full-text queries of one search. */
export interface Queries {
  readonly all: string;
  readonly some: string;
}

/** The most matches to rank, those that were indexed last. Ranking all files with a common word takes too long. */
const RANKED_MATCHES = 1_000;
/** The same for matches in the title alone, and in the path alone. */
const NAMED_MATCHES = 250;

const MATCHES = `FROM doc_text CROSS JOIN doc AS d ON d.id = doc_text.rowid
  CROSS JOIN file AS f ON f.path = d.path AND f.sha = d.sha WHERE doc_text MATCH ?`;

const PLACE = `SELECT d.id ${MATCHES} ORDER BY doc_text.rowid DESC LIMIT 1 OFFSET ?`;

// A word in the title says more about a document than one in its path, and that more than one in its text. Files
// without text rank last: they are the shortest documents, and would come before every page that explains them.
// FTS5 starts at a number only if it comes as an integer, and workerd binds all numbers as reals: hence the cast.
const RANKED = `SELECT d.path, d.title, d.has_text AS hasText ${MATCHES} AND doc_text.rowid > CAST(? AS INTEGER)
  ORDER BY d.has_text DESC, bm25(doc_text, 4.0, 8.0, 1.0), d.path LIMIT ?`;

/** Finds documents with all of the words, then those with any. */
export function searchDocs(sql: Sql, { all, some }: Queries, limit: number): RepoHit[] {
  const hits = ranked(sql, all, limit);
  if (hits.length >= limit || all === some) return hits;
  const known = new Set(hits.map(({ path }) => path));
  const more = ranked(sql, some, limit + known.size).filter(({ path }) => !known.has(path));
  return [...hits, ...more].slice(0, limit);
}

function ranked(sql: Sql, query: string, limit: number): RepoHit[] {
  const place = placeOf(sql, query, RANKED_MATCHES);
  if (place === undefined)
    return rankedAfter(sql, query, 0, limit).map(({ path, title }) => ({ path, title }));
  // The word is in so many files that those with it in their names have to be looked for by themselves.
  const named = ['title', 'path'].flatMap((column) => {
    const inName = `{${column}} : (${query})`;
    return rankedAfter(sql, inName, placeOf(sql, inName, NAMED_MATCHES) ?? 0, limit);
  });
  const hits = new Map<string, Ranked>();
  for (const hit of [...named, ...rankedAfter(sql, query, place, limit)])
    if (!hits.has(hit.path)) hits.set(hit.path, hit);
  return [...hits.values()]
    .sort((a, b) => b.hasText - a.hasText)
    .slice(0, limit)
    .map(({ path, title }) => ({ path, title }));
}

type Ranked = { path: string; title: string; hasText: number };

function rankedAfter(sql: Sql, query: string, place: number, limit: number): Ranked[] {
  return sql.exec<Ranked>(RANKED, query, place, limit).toArray();
}

/** Gives the number after which the last so many matches stand; `undefined` if there are no more than these. */
function placeOf(sql: Sql, query: string, matches: number): number | undefined {
  return sql.exec<{ id: number }>(PLACE, query, matches).toArray()[0]?.id;
}
