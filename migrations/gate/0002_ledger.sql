-- Ways into a long ledger for those who look for something rare. What is common is found by going back from the
-- newest, so a call that went well on the gateway is written into one of these only.
CREATE INDEX call_by_tool ON call (tool, seq);
CREATE INDEX call_by_machine ON call (machine, seq) WHERE machine IS NOT NULL;
CREATE INDEX call_end_not_ok ON call_end (outcome, seq) WHERE outcome <> 'ok';
