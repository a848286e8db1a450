-- Other MCP servers that were joined, and what the owner said of their tools.
CREATE TABLE server (
  -- As it stands in the names of its tools.
  name TEXT PRIMARY KEY,
  -- Where the gateway reaches it; NULL for one that a machine started.
  url TEXT,
  -- The machine that started it: its id and, for people, its name.
  machine TEXT,
  machine_name TEXT,
  -- The only tools of it that are offered, as JSON; NULL for all that keep to the rules.
  allow TEXT,
  added_at INTEGER NOT NULL,
  -- When its list was last read, and what went wrong at the last try.
  checked_at INTEGER,
  problem TEXT,
  -- The tools that are not offered, with reasons, as JSON.
  left_out TEXT NOT NULL DEFAULT '[]',
  CHECK ((url IS NULL) <> (machine IS NULL))
) STRICT, WITHOUT ROWID;

-- What signs the gateway in there. Read for a call and for nothing else; no page and no answer shows it.
CREATE TABLE server_secret (
  server TEXT PRIMARY KEY REFERENCES server (name) ON DELETE CASCADE,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A tool as it was when its list was last read. `grade` holds for this `hash` alone.
CREATE TABLE server_tool (
  server TEXT NOT NULL REFERENCES server (name) ON DELETE CASCADE,
  name TEXT NOT NULL,
  body TEXT NOT NULL,
  hash TEXT NOT NULL,
  grade TEXT CHECK (grade IN ('read_only', 'safe_write', 'dangerous')),
  -- Set while it is another one than the owner last looked at.
  changed_at INTEGER,
  -- 0 for one that is on the list no more: should it come back as it was, it is known.
  listed INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (server, name)
) STRICT;

-- Rises with everything that changes what is listed.
CREATE TABLE server_version (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  n INTEGER NOT NULL
) STRICT;
INSERT INTO server_version VALUES (1, 1);
