-- The text of a call, if a row can hold it, so that most calls need no piece for it. A call in pieces has none here.
ALTER TABLE call ADD COLUMN args BLOB;
