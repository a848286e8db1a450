-- The caller's own reason for the call. A machine that asks a person shows it to them.
ALTER TABLE call ADD COLUMN reason TEXT;
