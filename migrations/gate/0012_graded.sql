-- The tool as it was when the owner last graded it, to show later what a server changed in it.
ALTER TABLE server_tool ADD COLUMN graded TEXT;
