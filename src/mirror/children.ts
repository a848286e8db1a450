import { type FileRow, head } from './mirror-store.ts';

/** A direct child of a folder: a file, or a folder with files below it. */
export type Child =
  | { readonly kind: 'folder'; readonly path: string }
  | ({ readonly kind: 'file' } & FileRow);

/** A page of a folder. */
export interface FolderPage {
  readonly commit: string;
  readonly children: readonly Child[];
  /** The next page begins after this; null on the last page. */
  readonly next: string | null;
}

/** Sorts after every path below a folder. */
const LAST = '\u{10ffff}';
const BATCH = 200;

type Row = FileRow & Record<string, SqlStorageValue>;

/** Lists one folder (`''` is the root) by path. Skips what lies deeper without reading it. */
export function children(sql: SqlStorage, folder: string, after: string, limit: number): FolderPage | null {
  const at = head(sql);
  if (!at) return null;
  const prefix = folder === '' ? '' : `${folder}/`;
  const found: Child[] = [];
  for (let cursor = after.startsWith(prefix) && after !== '' ? after : prefix, inside = ''; ; ) {
    const rows = sql
      .exec<Row>(
        'SELECT path, sha, size, mode, modified FROM file WHERE path > ? AND path < ? ORDER BY path LIMIT ?',
        cursor,
        prefix + LAST,
        BATCH,
      )
      .toArray();
    for (const row of rows) {
      if (inside !== '' && row.path.startsWith(inside)) continue;
      if (found.length === limit) return { commit: at.commit, children: found, next: cursor };
      const slash = row.path.indexOf('/', prefix.length);
      const path = slash === -1 ? row.path : row.path.slice(0, slash);
      found.push(slash === -1 ? { kind: 'file', ...row } : { kind: 'folder', path });
      inside = slash === -1 ? '' : `${path}/`;
      cursor = slash === -1 ? path : inside + LAST;
    }
    if (rows.length < BATCH) return { commit: at.commit, children: found, next: null };
  }
}
