-- Calls of the gateway that a backup was made of. They are numbered below zero, so they come before all of this one's.
CREATE TABLE restored_call (
  seq        INTEGER PRIMARY KEY CHECK (seq < 0),
  id         TEXT NOT NULL,
  at         INTEGER NOT NULL,
  principal  TEXT NOT NULL,
  client     TEXT NOT NULL,
  via        TEXT NOT NULL,
  tool       TEXT NOT NULL,
  machine    TEXT,
  digest     TEXT NOT NULL,
  args       TEXT NOT NULL,
  decision   TEXT NOT NULL,
  because    TEXT NOT NULL,
  outcome    TEXT,
  code       TEXT,
  bytes      INTEGER,
  durationMs INTEGER
) STRICT;

CREATE TRIGGER restored_call_is_new BEFORE INSERT ON restored_call
  WHEN EXISTS (SELECT 1 FROM restored_call WHERE seq = NEW.seq)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER restored_call_is_written_once BEFORE UPDATE ON restored_call
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER restored_call_is_kept BEFORE DELETE ON restored_call
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
