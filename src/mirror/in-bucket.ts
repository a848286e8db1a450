/** True in SQL for a `sha` of the table `s` whose content is in the bucket. */
export const IN_BUCKET = `(EXISTS (SELECT 1 FROM doc WHERE doc.sha = s.sha AND doc.kept = 1)
  OR EXISTS (SELECT 1 FROM loose WHERE loose.sha = s.sha))`;

export function isInBucket(sql: SqlStorage, sha: string): boolean {
  return sql.exec(`SELECT 1 FROM (SELECT ? AS sha) AS s WHERE ${IN_BUCKET}`, sha).toArray().length > 0;
}
