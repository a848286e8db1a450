-- A backup that is being brought in: how long its log is and how it ends. Nothing else is written meanwhile.
CREATE TABLE restoring (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  total INTEGER NOT NULL,
  head  TEXT NOT NULL
) STRICT;
