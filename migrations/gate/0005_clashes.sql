-- Servers that a machine started under a name that another had already; they are not listed, and the owner is told.
CREATE TABLE server_clash (
  name         TEXT NOT NULL,
  machine      TEXT NOT NULL,
  machine_name TEXT NOT NULL,
  PRIMARY KEY (name, machine)
) STRICT, WITHOUT ROWID;
