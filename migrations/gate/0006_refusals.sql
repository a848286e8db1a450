-- Refused calls that get no row of their own in the ledger: those of strangers, and those of a caller who is refused
-- again and again. One row an hour, caller, tool and reason, so that nobody fills the database by being refused.
CREATE TABLE refusal_count (
  hour      INTEGER NOT NULL,
  principal TEXT NOT NULL,
  tool      TEXT NOT NULL,
  code      TEXT NOT NULL,
  n         INTEGER NOT NULL,
  PRIMARY KEY (hour, principal, tool, code)
) STRICT, WITHOUT ROWID;
