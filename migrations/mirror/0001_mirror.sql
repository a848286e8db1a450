-- The mirror: one commit of a repo, and those that are on their way.
CREATE TABLE mirror (
  one             INTEGER PRIMARY KEY CHECK (one = 1),
  commit_sha      TEXT NOT NULL,
  committed_at    INTEGER NOT NULL,
  branch          TEXT,
  pushed_at       INTEGER NOT NULL,
  pushed_by       TEXT NOT NULL,
  open            TEXT NOT NULL,
  allowed_secrets TEXT NOT NULL,
  files           INTEGER NOT NULL,
  bytes           INTEGER NOT NULL
) STRICT;

CREATE TABLE file (
  path     TEXT PRIMARY KEY,
  sha      TEXT NOT NULL,
  size     INTEGER NOT NULL,
  mode     TEXT NOT NULL,
  modified INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX file_by_sha ON file (sha);

CREATE TABLE push (
  id              TEXT PRIMARY KEY,
  at              INTEGER NOT NULL,
  by              TEXT NOT NULL,
  commit_sha      TEXT NOT NULL,
  committed_at    INTEGER NOT NULL,
  branch          TEXT,
  base            TEXT,
  open            TEXT NOT NULL,
  allowed_secrets TEXT NOT NULL,
  complete        INTEGER NOT NULL
) STRICT;

-- What a push brings. A path that it takes away has no sha.
CREATE TABLE staged (
  push     TEXT NOT NULL REFERENCES push (id) ON DELETE CASCADE,
  path     TEXT NOT NULL,
  sha      TEXT,
  size     INTEGER NOT NULL,
  mode     TEXT NOT NULL,
  modified INTEGER NOT NULL,
  PRIMARY KEY (push, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX staged_by_sha ON staged (sha);

-- Contents that are in the bucket; `loose_since` is when the first look found nobody naming them.
CREATE TABLE blob (
  sha         TEXT PRIMARY KEY,
  loose_since INTEGER
) STRICT, WITHOUT ROWID;

-- A content at a path, which is what search finds; those of the mirrored commit are the ones in `file`.
CREATE TABLE doc (
  id    INTEGER PRIMARY KEY,
  path  TEXT NOT NULL,
  sha   TEXT NOT NULL,
  title TEXT NOT NULL,
  UNIQUE (path, sha)
) STRICT;

CREATE VIRTUAL TABLE doc_text USING fts5 (
  path, title, body,
  content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

-- Deliveries of the webhook that were taken, by what they are called and by what they say.
CREATE TABLE delivery (
  name TEXT PRIMARY KEY,
  at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The commit that GitHub announced last and that is still to be fetched.
CREATE TABLE wanted (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  repo       TEXT NOT NULL,
  branch     TEXT NOT NULL,
  commit_sha TEXT NOT NULL,
  pushed_at  INTEGER NOT NULL,
  attempts   INTEGER NOT NULL,
  due_at     INTEGER,
  problem    TEXT
) STRICT;
