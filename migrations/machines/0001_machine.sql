-- The machine this object stands for; one row once it is enrolled.
CREATE TABLE machine (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  public_key TEXT NOT NULL,
  origin TEXT NOT NULL,
  revoked INTEGER NOT NULL DEFAULT 0,
  -- Rises with every connection.
  epoch INTEGER NOT NULL DEFAULT 0,
  journal TEXT,
  about TEXT,
  -- When it last came, and last went.
  online_since INTEGER,
  offline_since INTEGER
) STRICT;

-- Calls that change something: written before they are sent, kept until a day after they ended.
CREATE TABLE call (
  id TEXT PRIMARY KEY,
  tool TEXT NOT NULL,
  principal TEXT NOT NULL,
  client TEXT NOT NULL,
  digest TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'done', 'failed', 'unknown', 'not_run')),
  -- The number it was last sent by, and to which journal.
  n INTEGER NOT NULL,
  journal TEXT NOT NULL,
  cancelled INTEGER NOT NULL DEFAULT 0,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX call_number ON call (n);
CREATE INDEX call_open ON call (state) WHERE state = 'open';

-- Arguments and results in pieces: a row of the database holds 2 MB.
CREATE TABLE piece (
  call TEXT NOT NULL,
  part TEXT NOT NULL CHECK (part IN ('args', 'result')),
  at INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (call, part, at)
) STRICT;
