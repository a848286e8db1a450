-- Only a call that an approval let run is ever looked for by its digest. Calls that rules let run need no row here.
DROP INDEX call_by_digest;
CREATE INDEX call_by_yes ON call (digest, at) WHERE decision = 'approved' AND effect = 1;
