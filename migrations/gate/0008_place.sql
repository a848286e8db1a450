-- The open folder that an approved call works in; the machine was there before.
ALTER TABLE approval ADD COLUMN root TEXT;
-- What the owner was shown of what the call would do, as JSON, and the state of things at that moment.
ALTER TABLE approval ADD COLUMN shown TEXT;
ALTER TABLE approval ADD COLUMN seen TEXT;
