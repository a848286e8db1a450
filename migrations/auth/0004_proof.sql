-- Signing in proves the owner as much as showing a passkey or the owner key later does: one time for all of them.
ALTER TABLE session RENAME COLUMN passkey_at TO proven_at;
