/**
 * Adds a content to search, under its path. `isKept` says that it is in the bucket, where the text was read. A document
 * from when it was not there has no text or an unproved one, and gets this.
 */
export function indexDoc(
  sql: SqlStorage,
  { path, sha }: { readonly path: string; readonly sha: string },
  text: string | undefined,
  isKept: boolean,
): void {
  const title = titleOf(path, text);
  const inserted = sql
    .exec<{ id: number }>(
      'INSERT INTO doc (path, sha, title, has_text, kept) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id',
      path,
      sha,
      title,
      text === undefined ? 0 : 1,
      isKept ? 1 : 0,
    )
    .toArray()[0];
  const renewed = inserted || !isKept ? undefined : renew(sql, { path, sha, title }, text !== undefined);
  const id = inserted?.id ?? renewed;
  if (id === undefined) return;
  sql.exec(
    'INSERT INTO doc_text (rowid, path, title, body) VALUES (?, ?, ?, ?)',
    id,
    words(path),
    title === path ? '' : title,
    text ?? '',
  );
}

/** Empties a document that was not kept, for its text. Gives its id; `undefined` if it was kept. */
function renew(
  sql: SqlStorage,
  { path, sha, title }: { readonly path: string; readonly sha: string; readonly title: string },
  hasText: boolean,
): number | undefined {
  const renewed = sql
    .exec<{ id: number }>(
      'UPDATE doc SET kept = 1, title = ?, has_text = ? WHERE sha = ? AND path = ? AND kept = 0 RETURNING id',
      title,
      hasText ? 1 : 0,
      sha,
      path,
    )
    .toArray()[0];
  if (renewed) sql.exec('DELETE FROM doc_text WHERE rowid = ?', renewed.id);
  return renewed?.id;
}

/** Removes contents at paths that no commit and no push has any more. What nothing else names is loose from now on. */
export function dropOldDocs(sql: SqlStorage, now: number): void {
  const old = sql
    .exec<{ id: number; sha: string; kept: number }>(
      `SELECT id, sha, kept FROM doc AS d
       WHERE NOT EXISTS (SELECT 1 FROM file AS f WHERE f.path = d.path AND f.sha = d.sha)
       AND (path, sha) NOT IN (SELECT path, sha FROM staged WHERE sha IS NOT NULL)`,
    )
    .toArray();
  for (const { id, sha, kept } of old) {
    sql.exec('DELETE FROM doc_text WHERE rowid = ?', id);
    sql.exec('DELETE FROM doc WHERE id = ?', id);
    if (kept === 0) continue;
    sql.exec(
      `INSERT OR IGNORE INTO loose SELECT ?1, ?2
       WHERE NOT EXISTS (SELECT 1 FROM doc WHERE sha = ?1 AND kept = 1)`,
      sha,
      now,
    );
  }
}

const MAX_TITLE_CHARS = 200;

/** Gives the first heading of a Markdown file, or its path. */
export function titleOf(path: string, text: string | undefined): string {
  if (!/\.(?:md|mdx|markdown)$/i.test(path)) return path;
  const heading = /^#{1,2}[ \t]+(\S.*?)[ \t]*#*$/m.exec((text ?? '').slice(0, 4_096))?.[1];
  return heading?.slice(0, MAX_TITLE_CHARS) ?? path;
}

/** Splits compound names in a path as well, so that `name` finds `userName.ts`. */
function words(path: string): string {
  const apart = path.replace(/([a-z\d])([A-Z])/g, '$1 $2');
  return apart === path ? path : `${path} ${apart}`;
}
