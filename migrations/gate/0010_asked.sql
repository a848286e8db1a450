-- Calls of the last minute that a machine or the owner was asked about, and that were not let in. They count towards
-- the limit of a minute, or whoever is refused each time could ask without end. Not a part of the ledger.
CREATE TABLE asked (
  call_id   TEXT PRIMARY KEY,
  principal TEXT NOT NULL,
  tool      TEXT NOT NULL,
  at        INTEGER NOT NULL,
  -- The digest of the call once an approval of it was opened: the call that comes back for it is the same one.
  waits_as  TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX asked_by_use ON asked (principal, tool, at);
