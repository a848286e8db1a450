-- What the owner saw of a call that they approved, and how long it took them. Part of the ledger while the call is in this
-- database; the archive does not keep it.
CREATE TABLE call_yes (
  seq    INTEGER PRIMARY KEY REFERENCES call (seq),
  -- Milliseconds from the question to the yes.
  waited INTEGER NOT NULL,
  -- The diff that was approved, without secrets and shortened.
  diff   TEXT
) STRICT;
CREATE TRIGGER call_yes_is_new BEFORE INSERT ON call_yes
  WHEN EXISTS (SELECT 1 FROM call_yes WHERE seq = NEW.seq)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER call_yes_is_written_once BEFORE UPDATE ON call_yes
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER call_yes_is_kept BEFORE DELETE ON call_yes
  WHEN OLD.seq = (SELECT max(seq) FROM call)
    OR coalesce((SELECT first FROM ledger_archive WHERE last >= OLD.seq ORDER BY last LIMIT 1) > OLD.seq, 1)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
