-- What came last is told by the order in which it was written. By time, a clock that was set back made an older row the
-- newest, so that a call under a key could run twice.
DROP INDEX call_by_key;
CREATE INDEX call_by_key ON call (principal, tool, idem) WHERE idem IS NOT NULL;

-- The place of an approval among those of the same call: the newest has the highest number.
ALTER TABLE approval ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
DROP INDEX approval_by_call;
CREATE INDEX approval_by_call ON approval (principal, digest, turn, opened_at);
