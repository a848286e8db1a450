-- One row for each app that was let in, for as long as it is. OAuth's own records are in KV, which other
-- places may go on reading for a minute after something was revoked; this is asked as well, and is right at once.
CREATE TABLE access (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
