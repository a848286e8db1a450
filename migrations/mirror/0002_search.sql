-- Whether a document has text to be read: those that have come first in what search finds.
ALTER TABLE doc ADD COLUMN has_text INTEGER NOT NULL DEFAULT 1;
