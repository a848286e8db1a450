-- The state of things that the owner saw when they approved the call: a machine that finds another runs nothing.
ALTER TABLE call ADD COLUMN seen TEXT;
