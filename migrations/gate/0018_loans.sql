-- Lasting terminals that the owner lent: everything that one caller types into one of them runs for an hour. A row is
-- written with the owner's decision, and lets nothing run until the call that they approved was let in.
CREATE TABLE terminal_loan (
  id         TEXT PRIMARY KEY,
  approval   TEXT NOT NULL UNIQUE,
  principal  TEXT NOT NULL,
  client     TEXT NOT NULL,
  -- The machine's id, which no other machine ever gets, and its name at that time.
  machine_id TEXT,
  machine    TEXT,
  session    TEXT NOT NULL,
  -- The call that started the terminal. No other terminal has it, whatever its name. NULL until that call was let in.
  started_by TEXT,
  -- The number of the approved call in the ledger, once it was let in. Calls under the loan have higher ones.
  seq        INTEGER,
  lent_at    INTEGER NOT NULL,
  ended_at   INTEGER
) STRICT, WITHOUT ROWID;
