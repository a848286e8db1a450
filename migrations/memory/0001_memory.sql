-- The memory: one log, of several files, that can only grow.
CREATE TABLE log (
  seq  INTEGER PRIMARY KEY,
  file TEXT NOT NULL,
  line INTEGER NOT NULL,
  idem TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL,
  at   INTEGER NOT NULL,
  prev TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX log_by_line ON log (file, line);

CREATE TRIGGER log_is_never_changed BEFORE UPDATE ON log
  BEGIN SELECT RAISE(ABORT, 'memory is append-only'); END;

CREATE TRIGGER log_is_never_shortened BEFORE DELETE ON log
  BEGIN SELECT RAISE(ABORT, 'memory is append-only'); END;

-- REPLACE deletes without asking the triggers above, so what it would need is refused here.
CREATE TRIGGER log_only_grows BEFORE INSERT ON log
  WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM log)
    OR NEW.line IS NOT (SELECT coalesce(max(line), 0) + 1 FROM log WHERE file = NEW.file)
    OR NEW.prev IS NOT coalesce((SELECT hash FROM log WHERE seq = NEW.seq - 1), '0000000000000000000000000000000000000000000000000000000000000000')
    OR EXISTS (SELECT 1 FROM log WHERE idem = NEW.idem)
  BEGIN SELECT RAISE(ABORT, 'memory is append-only'); END;

CREATE TABLE checkpoint (
  seq       INTEGER PRIMARY KEY,
  head      TEXT NOT NULL,
  at        INTEGER NOT NULL,
  signature TEXT NOT NULL
) STRICT;

CREATE TRIGGER checkpoint_is_never_changed BEFORE UPDATE ON checkpoint
  BEGIN SELECT RAISE(ABORT, 'memory is append-only'); END;

CREATE TRIGGER checkpoint_is_never_dropped BEFORE DELETE ON checkpoint
  BEGIN SELECT RAISE(ABORT, 'memory is append-only'); END;

CREATE TRIGGER checkpoint_only_grows BEFORE INSERT ON checkpoint
  WHEN NEW.seq <= (SELECT coalesce(max(seq), 0) FROM checkpoint)
  BEGIN SELECT RAISE(ABORT, 'memory is append-only'); END;

CREATE VIRTUAL TABLE log_text USING fts5 (body, content = 'log', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 2');
