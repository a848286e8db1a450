-- How many bytes a file has up to one of its lines, so that a long file need not be added up again.
CREATE TABLE file_size (
  file  TEXT PRIMARY KEY,
  line  INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
