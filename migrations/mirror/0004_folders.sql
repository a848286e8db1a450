-- How many files each folder has, with all its subfolders, so that a listing need not count them. The root is in `mirror`.
CREATE TABLE folder (
  path  TEXT PRIMARY KEY,
  files INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- `rtrim` takes off all that is not a slash, which leaves the folder of a path.
INSERT INTO folder
WITH RECURSIVE up (path) AS (
  SELECT rtrim(rtrim(path, replace(path, '/', '')), '/') FROM file
  UNION ALL
  SELECT rtrim(rtrim(path, replace(path, '/', '')), '/') FROM up WHERE path <> ''
)
SELECT path, count(*) FROM up WHERE path <> '' GROUP BY path;

-- Finds paths that differ only in case. One of two such paths has a capital letter, and most paths have none.
CREATE INDEX file_by_case ON file (lower(path)) WHERE path <> lower(path);
