-- Who the owner is to this gateway: what they signed in with, and what they gave out.
-- Secrets are here only as SHA-256 of 32 random bytes, which nobody can guess their way back from.

CREATE TABLE session (
  id_hash    TEXT PRIMARY KEY,
  method     TEXT NOT NULL CHECK (method IN ('owner_key', 'passkey')),
  agent      TEXT NOT NULL,
  address    TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  passkey_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE token (
  id         TEXT PRIMARY KEY,
  hash       TEXT NOT NULL UNIQUE,
  name       TEXT NOT NULL,
  scopes     TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at    INTEGER,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE passkey (
  id         TEXT PRIMARY KEY,
  public_key BLOB NOT NULL,
  counter    INTEGER NOT NULL,
  transports TEXT NOT NULL,
  name       TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at    INTEGER
) STRICT, WITHOUT ROWID;

-- A passkey ceremony under way; used once.
CREATE TABLE challenge (
  value      TEXT PRIMARY KEY,
  purpose    TEXT NOT NULL CHECK (purpose IN ('register', 'sign_in', 'confirm')),
  session    TEXT,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row an attempt, so that a limit holds over restarts.
CREATE TABLE attempt (
  what TEXT NOT NULL,
  at   INTEGER NOT NULL
) STRICT;
CREATE INDEX attempt_by_what ON attempt (what, at);
