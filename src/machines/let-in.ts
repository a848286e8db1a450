import * as rows from './call-rows.ts';
import type { Arrival, LinkPorts } from './link-ports.ts';
import * as machine from './machine-row.ts';

/**
 * Stores a machine's new connection and gives its epoch. Gives nothing if it is a copy's. Ends the calls whose outcome
 * nobody can know any more.
 */
export function letIn(
  { sql, transaction, now }: Pick<LinkPorts, 'sql' | 'transaction' | 'now'>,
  arrival: Arrival,
  isConnected: boolean,
): number | undefined {
  const standing = machine.standingOf(sql, arrival);
  // Of two, the one that lies elsewhere is the copy.
  if (standing === 'copied' || (arrival.moved && isConnected)) return undefined;
  // The journal with these calls may be gone or be a copy, or this side was put back to a state before they ended.
  const isUnsure = standing === 'ahead' || arrival.moved === true;
  return transaction(() => {
    const risen = machine.arrived(sql, arrival, now());
    for (const row of rows.openCalls(sql)) {
      if (isUnsure || row.journal !== arrival.journal) rows.finishCall(sql, row.id, 'unknown', now());
    }
    return risen;
  });
}
