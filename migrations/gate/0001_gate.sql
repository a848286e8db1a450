-- What was asked, what was decided, and how it ended.

-- One row a call, written before it runs; the rate limits are counted from it. `counted` is 1 for calls
-- that were let in, so that refusals do not use up a limit.
CREATE TABLE call (
  seq       INTEGER PRIMARY KEY,
  id        TEXT NOT NULL,
  at        INTEGER NOT NULL,
  principal TEXT NOT NULL,
  client    TEXT NOT NULL,
  via       TEXT NOT NULL,
  tool      TEXT NOT NULL,
  machine   TEXT,
  digest    TEXT NOT NULL,
  args      TEXT NOT NULL,
  counted   INTEGER NOT NULL,
  -- Whether it was to change something.
  effect    INTEGER NOT NULL,
  decision  TEXT NOT NULL,
  because   TEXT NOT NULL,
  idem      TEXT
) STRICT;
CREATE INDEX call_by_use ON call (principal, tool, at) WHERE counted = 1;
CREATE INDEX call_by_key ON call (principal, tool, idem, at) WHERE idem IS NOT NULL;
CREATE INDEX call_by_digest ON call (digest, at) WHERE counted = 1 AND effect = 1;

-- How a call ended. A call without a row here is running, or was cut off.
CREATE TABLE call_end (
  seq     INTEGER PRIMARY KEY REFERENCES call (seq),
  at      INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  code    TEXT,
  bytes   INTEGER NOT NULL,
  -- The result itself, kept a day for calls that changed something, to answer a repeat with.
  result  TEXT
) STRICT;

-- INSERT OR REPLACE deletes without asking the triggers below; the next number and no other gets past.
CREATE TRIGGER call_is_next BEFORE INSERT ON call
  WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM call)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER call_end_is_new BEFORE INSERT ON call_end
  WHEN EXISTS (SELECT 1 FROM call_end WHERE seq = NEW.seq)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER call_is_written_once BEFORE UPDATE ON call
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER call_is_kept BEFORE DELETE ON call
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER call_end_is_kept BEFORE DELETE ON call_end
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
-- A kept result may be dropped when its day is over; nothing else about an end may change.
CREATE TRIGGER call_end_is_written_once BEFORE UPDATE ON call_end
  WHEN NEW.result IS NOT NULL OR OLD.result IS NULL
    OR NEW.seq <> OLD.seq OR NEW.at <> OLD.at OR NEW.outcome <> OLD.outcome
    OR NEW.code IS NOT OLD.code OR NEW.bytes <> OLD.bytes
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE INDEX call_end_with_result ON call_end (at) WHERE result IS NOT NULL;

CREATE TABLE approval (
  id          TEXT PRIMARY KEY,
  code        TEXT NOT NULL UNIQUE,
  digest      TEXT NOT NULL,
  principal   TEXT NOT NULL,
  client      TEXT NOT NULL,
  tool        TEXT NOT NULL,
  machine     TEXT,
  risk        TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'consumed', 'expired')),
  opened_at   INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL,
  decided_at  INTEGER,
  decided_by  TEXT,
  consumed_at INTEGER,
  told        INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_by_call ON approval (principal, digest, opened_at);
CREATE INDEX approval_open ON approval (state, expires_at);

-- The exact arguments, in pieces, because a row holds 2 MB and a call 4.
CREATE TABLE approval_args (
  approval TEXT NOT NULL REFERENCES approval (id) ON DELETE CASCADE,
  part     INTEGER NOT NULL,
  text     TEXT NOT NULL,
  PRIMARY KEY (approval, part)
) STRICT, WITHOUT ROWID;

CREATE TABLE rule (
  id         TEXT PRIMARY KEY,
  tool       TEXT NOT NULL,
  body       TEXT NOT NULL,
  uses       INTEGER NOT NULL DEFAULT 0,
  enabled    INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Rates, notification channels, push subscriptions and the like, as JSON by name.
CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
