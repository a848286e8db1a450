/** Adds a content to search, under its path. Does nothing if it is there already. */
export function indexDoc(
  sql: SqlStorage,
  { path, sha }: { readonly path: string; readonly sha: string },
  text: string | undefined,
): void {
  const title = titleOf(path, text);
  const inserted = sql
    .exec<{ id: number }>(
      'INSERT INTO doc (path, sha, title, has_text) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id',
      path,
      sha,
      title,
      text === undefined ? 0 : 1,
    )
    .toArray()[0];
  if (!inserted) return;
  sql.exec(
    'INSERT INTO doc_text (rowid, path, title, body) VALUES (?, ?, ?, ?)',
    inserted.id,
    words(path),
    title === path ? '' : title,
    text ?? '',
  );
}

/** Removes contents at paths that no commit and no push has any more. */
export function dropOldDocs(sql: SqlStorage): void {
  const old = sql
    .exec<{ id: number }>(
      `SELECT id FROM doc AS d WHERE NOT EXISTS (SELECT 1 FROM file AS f WHERE f.path = d.path AND f.sha = d.sha)
       AND NOT EXISTS (SELECT 1 FROM staged AS s WHERE s.path = d.path AND s.sha = d.sha)`,
    )
    .toArray();
  for (const { id } of old) {
    sql.exec('DELETE FROM doc_text WHERE rowid = ?', id);
    sql.exec('DELETE FROM doc WHERE id = ?', id);
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
