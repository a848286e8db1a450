-- Pieces of the ledger that were moved out of this database. Each is signed and linked to the one before.
CREATE TABLE ledger_archive (
  piece     INTEGER PRIMARY KEY,
  -- The first and the last number in it. Both are below zero for calls that came with a backup.
  first     INTEGER NOT NULL,
  last      INTEGER NOT NULL,
  calls     INTEGER NOT NULL,
  -- The earliest and the latest time in it.
  since     INTEGER NOT NULL,
  until     INTEGER NOT NULL,
  -- SHA-256 of its lines, of the piece before, and of all that is said about this one.
  body      TEXT NOT NULL,
  prev      TEXT NOT NULL,
  hash      TEXT NOT NULL,
  signature TEXT,
  CHECK (first <= last AND (first > 0) = (last > 0) AND calls > 0)
) STRICT;
CREATE INDEX ledger_archive_by_place ON ledger_archive (last);

-- A piece goes on where the last one of its side of zero ended: calls of this gateway upwards, restored ones downwards.
CREATE TRIGGER ledger_archive_is_next BEFORE INSERT ON ledger_archive
  WHEN NEW.piece <> (SELECT coalesce(max(piece), 0) + 1 FROM ledger_archive)
    OR NEW.prev <> coalesce(
      (SELECT hash FROM ledger_archive ORDER BY piece DESC LIMIT 1), hex(zeroblob(32)))
    OR (NEW.first > 0 AND NEW.first <> (SELECT coalesce(max(last), 0) + 1 FROM ledger_archive WHERE last > 0))
    OR (NEW.first < 0 AND NEW.last <> (SELECT coalesce(min(first), 0) - 1 FROM ledger_archive WHERE last < 0))
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_archive_is_written_once BEFORE UPDATE ON ledger_archive
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_archive_is_kept BEFORE DELETE ON ledger_archive
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

-- A call may go once a piece of the archive holds it. The newest stays, because the next number follows from it.
DROP TRIGGER call_is_kept;
CREATE TRIGGER call_is_kept BEFORE DELETE ON call
  WHEN OLD.seq = (SELECT max(seq) FROM call)
    OR coalesce((SELECT first FROM ledger_archive WHERE last >= OLD.seq ORDER BY last LIMIT 1) > OLD.seq, 1)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
DROP TRIGGER call_end_is_kept;
CREATE TRIGGER call_end_is_kept BEFORE DELETE ON call_end
  WHEN OLD.seq = (SELECT max(seq) FROM call)
    OR coalesce((SELECT first FROM ledger_archive WHERE last >= OLD.seq ORDER BY last LIMIT 1) > OLD.seq, 1)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
DROP TRIGGER restored_call_is_kept;
CREATE TRIGGER restored_call_is_kept BEFORE DELETE ON restored_call
  WHEN coalesce((SELECT first FROM ledger_archive WHERE last >= OLD.seq ORDER BY last LIMIT 1) > OLD.seq, 1)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
-- INSERT OR REPLACE asks no trigger about what it deletes, and a number that is in the archive is taken.
DROP TRIGGER restored_call_is_new;
CREATE TRIGGER restored_call_is_new BEFORE INSERT ON restored_call
  WHEN EXISTS (SELECT 1 FROM restored_call WHERE seq = NEW.seq)
    OR coalesce((SELECT first FROM ledger_archive WHERE last >= NEW.seq ORDER BY last LIMIT 1) <= NEW.seq, 0)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
