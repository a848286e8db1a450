-- A code that signs somebody in once. Making one removes the earlier one.
CREATE TABLE sign_in_code (
  hash       TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A session may begin with such a code. A CHECK cannot be changed, so the table is made anew.
CREATE TABLE session_with_code (
  id_hash    TEXT PRIMARY KEY,
  method     TEXT NOT NULL CHECK (method IN ('owner_key', 'passkey', 'code')),
  agent      TEXT NOT NULL,
  address    TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  proven_at  INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO session_with_code SELECT * FROM session;
DROP TABLE session;
ALTER TABLE session_with_code RENAME TO session;
