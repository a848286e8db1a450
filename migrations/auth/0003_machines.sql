-- The owner's machines, by the keys that were confirmed for them.
CREATE TABLE machine (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  public_key TEXT NOT NULL,
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  paired_at  INTEGER NOT NULL,
  -- Set first when it is shut out; the row goes once its sockets are known to be closed.
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX machine_name ON machine (name COLLATE NOCASE) WHERE revoked_at IS NULL;
CREATE UNIQUE INDEX machine_key ON machine (public_key) WHERE revoked_at IS NULL;
CREATE UNIQUE INDEX machine_default ON machine (is_default) WHERE is_default = 1 AND revoked_at IS NULL;

-- Machines that ask to be paired. Anybody can ask, so what they say of themselves is only shown.
CREATE TABLE enrolment (
  -- SHA-256 of the secret by which the machine asks how it stands.
  id_hash    TEXT PRIMARY KEY,
  code       TEXT NOT NULL UNIQUE,
  name       TEXT NOT NULL,
  public_key TEXT NOT NULL,
  address    TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('pending', 'confirmed', 'denied')),
  machine    TEXT,
  opened_at  INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
