-- 1 once a caller was told to come back for the decision. Such an approval outlives the callers that are held for it.
ALTER TABLE approval ADD COLUMN answered INTEGER NOT NULL DEFAULT 0;
