-- A read that went well and whose row was written with its end: when it ended, and how long its output is. It has no row
-- in `call_end`. Rows written are what a plan runs out of first, and reads are most of all calls.
ALTER TABLE call ADD COLUMN ok_at INTEGER;
ALTER TABLE call ADD COLUMN ok_bytes INTEGER;

-- A call that changes something has its row before it runs, so no row of one can know its end.
CREATE TRIGGER call_whole_is_read BEFORE INSERT ON call
  WHEN NEW.ok_at IS NOT NULL AND (NEW.effect <> 0 OR NEW.ok_bytes IS NULL)
  BEGIN SELECT RAISE(ABORT, 'only a read is written with its end'); END;
CREATE TRIGGER call_end_is_first BEFORE INSERT ON call_end
  WHEN (SELECT ok_at FROM call WHERE seq = NEW.seq) IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
