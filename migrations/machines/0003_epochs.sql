-- The last connection that the machine stored before it took a call, and the protocol it spoke. A machine that has not
-- stored that connection is a copy, or was put back to an older state.
ALTER TABLE machine ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE machine ADD COLUMN protocol INTEGER NOT NULL DEFAULT 2;
