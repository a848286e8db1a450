-- Every index is a row more for each call, and rows written are what a plan runs out of first. The last minute is read
-- from the end of the ledger, and what a ledger page looks for is found by blocks of 200 calls.
DROP INDEX call_by_use;
DROP INDEX call_by_tool;
DROP INDEX call_by_machine;
DROP INDEX asked_by_use;

-- Calls that were to change something are few, and rules are tried on them.
CREATE INDEX call_of_tool ON call (tool, seq) WHERE effect = 1;

-- The tools, clients, callers and machines of calls 200 * block and the next 199, a line each: see ledger-blocks.ts.
CREATE TABLE ledger_block (
  block INTEGER PRIMARY KEY,
  names TEXT NOT NULL
) STRICT;

INSERT INTO ledger_block
SELECT block, char(10) || group_concat(name, char(10)) || char(10) FROM (
  SELECT seq / 200 AS block, 't ' || tool AS name FROM call
  UNION SELECT seq / 200, 'c ' || client FROM call
  UNION SELECT seq / 200, 'p ' || principal FROM call
  UNION SELECT seq / 200, 'm ' || machine FROM call WHERE machine IS NOT NULL
) WHERE block < (SELECT (max(seq) + 1) / 200 FROM call) GROUP BY block;

-- Where the clock went back: the first call after that, and the latest time before it. Between these, the times of calls
-- that were let in only rise, so that the last minute can be read from the end of the ledger.
CREATE TABLE clock_step (
  seq    INTEGER PRIMARY KEY,
  latest INTEGER NOT NULL
) STRICT;

INSERT INTO clock_step
SELECT seq, earlier FROM (SELECT seq, at, lag(at) OVER (ORDER BY seq) AS earlier FROM call WHERE counted = 1)
WHERE earlier > at;
