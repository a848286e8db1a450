-- What the owner says to the model with a no, and what the model gave as its reason for asking.
ALTER TABLE approval ADD COLUMN note TEXT;
ALTER TABLE approval ADD COLUMN reason TEXT;
