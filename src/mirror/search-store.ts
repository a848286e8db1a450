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

// A word in the title says more about a document than one in its path, and that more than one in its text. Files
// without text rank last: they are the shortest documents, and would come before every page that explains them.
const RANKED = `SELECT d.path, d.title FROM doc_text JOIN doc AS d ON d.id = doc_text.rowid
  JOIN file AS f ON f.path = d.path AND f.sha = d.sha
  WHERE doc_text MATCH ? ORDER BY d.has_text DESC, bm25(doc_text, 4.0, 8.0, 1.0), d.path LIMIT ?`;

/** Finds documents with all of the words, then those with any. */
export function searchDocs(sql: SqlStorage, { all, some }: Queries, limit: number): RepoHit[] {
  const hits = ranked(sql, all, limit);
  if (hits.length >= limit || all === some) return hits;
  const known = new Set(hits.map(({ path }) => path));
  const more = ranked(sql, some, limit + known.size).filter(({ path }) => !known.has(path));
  return [...hits, ...more].slice(0, limit);
}

function ranked(sql: SqlStorage, query: string, limit: number): RepoHit[] {
  return sql
    .exec<{ path: string; title: string }>(RANKED, query, limit)
    .toArray()
    .map(({ path, title }) => ({ path, title }));
}
