-- A push is kept in the pieces in which it came, some hundred files a row, and not with a row and an index for each file:
-- a plan counts rows. Pushes that were under way are sent again.
DROP TABLE staged;
DELETE FROM push;

CREATE TABLE piece (
  push    TEXT NOT NULL REFERENCES push (id) ON DELETE CASCADE,
  -- The row, and the request that it came with: a large request has several rows.
  row     INTEGER NOT NULL,
  number  INTEGER NOT NULL,
  digest  TEXT NOT NULL,
  -- [path, sha, size, mode, modified] of each file. A path that the push takes away has no sha.
  entries TEXT NOT NULL,
  PRIMARY KEY (push, row)
) STRICT, WITHOUT ROWID;

CREATE VIEW staged AS
  SELECT push, row, value ->> 0 AS path, value ->> 1 AS sha, value ->> 2 AS size, value ->> 3 AS mode,
    value ->> 4 AS modified
  FROM piece, json_each(piece.entries);

-- The digest of everything that a push says, by which its pusher finds it again; the requests, rows and files that came;
-- and how many of the rows have all their contents here and in search.
ALTER TABLE push ADD COLUMN name TEXT;
ALTER TABLE push ADD COLUMN pieces INTEGER NOT NULL DEFAULT 0;
ALTER TABLE push ADD COLUMN rows INTEGER NOT NULL DEFAULT 0;
ALTER TABLE push ADD COLUMN files INTEGER NOT NULL DEFAULT 0;
ALTER TABLE push ADD COLUMN ready INTEGER NOT NULL DEFAULT 0;
-- The push that brought the mirrored commit.
ALTER TABLE mirror ADD COLUMN push TEXT;
ALTER TABLE mirror ADD COLUMN push_name TEXT;

-- Nothing looks for a file by its content.
DROP INDEX file_by_sha;

-- A document that is `kept` says that its content is in the bucket, so a content needs no row of its own. It is looked for
-- by its name, whatever its path.
CREATE TABLE doc_of_content (
  id       INTEGER PRIMARY KEY,
  path     TEXT NOT NULL,
  sha      TEXT NOT NULL,
  title    TEXT NOT NULL,
  has_text INTEGER NOT NULL DEFAULT 1,
  kept     INTEGER NOT NULL DEFAULT 1,
  UNIQUE (sha, path)
) STRICT;

INSERT INTO doc_of_content SELECT id, path, sha, title, has_text, sha IN (SELECT sha FROM blob) FROM doc;
DROP TABLE doc;
ALTER TABLE doc_of_content RENAME TO doc;

-- Contents in the bucket that no document names, since when.
CREATE TABLE loose (
  sha   TEXT PRIMARY KEY,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO loose SELECT sha, coalesce(loose_since, unixepoch() * 1000) FROM blob WHERE sha NOT IN (SELECT sha FROM doc);
DROP TABLE blob;
