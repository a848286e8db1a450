-- A table without numbers of its own keeps its key and its row in one place, and is written once where it was written
-- twice. One index serves both ways to the open calls.
CREATE TABLE kept_call (
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
  expires_at INTEGER NOT NULL,
  -- The state of things that the owner saw when they approved the call: a machine that finds another runs nothing.
  seen TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO kept_call SELECT id, tool, principal, client, digest, state, n, journal, cancelled, started_at, finished_at,
  expires_at, seen FROM call;
DROP TABLE call;
ALTER TABLE kept_call RENAME TO call;
CREATE INDEX call_open ON call (n) WHERE state = 'open';

CREATE TABLE kept_piece (
  call TEXT NOT NULL,
  part TEXT NOT NULL CHECK (part IN ('args', 'result')),
  at INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (call, part, at)
) STRICT, WITHOUT ROWID;
INSERT INTO kept_piece SELECT call, part, at, bytes FROM piece;
DROP TABLE piece;
ALTER TABLE kept_piece RENAME TO piece;
