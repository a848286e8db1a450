-- The files that a call says it created, changed or removed. Part of the ledger while the call is in this database; the
-- archive does not keep it.
CREATE TABLE call_files (
  seq   INTEGER PRIMARY KEY REFERENCES call (seq),
  -- The first paths, without secrets, and how many there are, as JSON.
  files TEXT NOT NULL
) STRICT;
CREATE TRIGGER call_files_is_new BEFORE INSERT ON call_files
  WHEN EXISTS (SELECT 1 FROM call_files WHERE seq = NEW.seq)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER call_files_is_written_once BEFORE UPDATE ON call_files
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER call_files_is_kept BEFORE DELETE ON call_files
  WHEN OLD.seq = (SELECT max(seq) FROM call)
    OR coalesce((SELECT first FROM ledger_archive WHERE last >= OLD.seq ORDER BY last LIMIT 1) > OLD.seq, 1)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
