-- What the owner opened and allowed, whatever a push says. A mirror from before keeps what its last push said.
CREATE TABLE setting (
  one             INTEGER PRIMARY KEY CHECK (one = 1),
  open            TEXT NOT NULL,
  allowed_secrets TEXT NOT NULL
) STRICT;

INSERT INTO setting SELECT 1, open, allowed_secrets FROM mirror;

-- Who pushes, for the ledger; `by` is the name that is shown.
ALTER TABLE push ADD COLUMN principal TEXT NOT NULL DEFAULT '';
