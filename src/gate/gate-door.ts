import { ANYBODY, type Result } from '../core/call.ts';
import { doorFailure } from '../core/failure.ts';
import type { Door } from '../core/invoke.ts';
import type { AskedCall, PreparedCall } from '../core/prepared-call.ts';
import type { Looked } from '../core/preview.ts';
import { AdmitQueue } from './admit-queue.ts';
import { decideAbout, lookBefore } from './decide-about.ts';
import { EndQueue } from './end-queue.ts';
import { endOf, gateCall, refusedCall } from './gate-call.ts';
import type { GateDoorPorts } from './gate-door-ports.ts';
import type { GateCall } from './messages.ts';
import { MinuteCounts, untilNextMinute } from './minute-counts.ts';

/** The door of the gateway: every call goes through the gate's object before it runs. */
export function gateDoor(ports: GateDoorPorts): Door {
  const { later, report } = ports;
  const recorded = (work: Promise<unknown>) => later(work.catch((error) => report(error, 'ledger')));
  const endings = new EndQueue((waiting) => ports.gate().settle(waiting), recorded);
  const admits = new AdmitQueue({ gate: ports.gate, endings, later });
  const turnedAway = (call: AskedCall | PreparedCall, result: Result): undefined => {
    const { caller, contract } = call;
    if (caller.principal !== ANYBODY) {
      // An outcome that was given again is kept where it was made.
      endings.add({ call: refusedCall(call), end: { ...endOf(contract, result), result: null } });
      return undefined;
    }
    // Rows of strangers' refusals would let anybody fill the ledger.
    const code = result.kind === 'failed' ? result.failure.code : result.kind;
    endings.count({ principal: ANYBODY, tool: contract.wireName, code, at: Date.now() });
    return undefined;
  };

  return {
    newCallId: ports.newCallId,
    place: boundedPlace(ports.place),
    report,
    async admit(prepared, look) {
      const { contract } = prepared;
      const call = gateCall(prepared);
      const answer = await decideAbout(prepared, call, look, ports, admits);
      if (answer.kind !== 'admitted') {
        turnedAway(prepared, answer);
        return answer;
      }
      const { seq, seen } = answer;
      const settle = (result: Result) => {
        const ending = { seq, end: endOf(contract, result) };
        // A change must be on record before it is told; a read's answer need not wait for the ledger.
        if (contract.risk !== 'read_only') {
          const settled = ports.gate().settle([ending]);
          if (ending.end.code === 'changed_since_approval') {
            // The owner is shown what it is now, so that the next call finds them asked already. First the record of
            // this call: while it is open, the same call is taken for one that is still running.
            const asking = settled.then(() => askAnew(prepared, call, look, ports));
            later(asking.catch((error) => report(error, 'ask anew')));
          }
          return settled;
        }
        endings.add(ending);
        return undefined;
      };
      return { kind: 'admitted', settle, ...(seen === undefined ? {} : { seen }) };
    },
    turnedAway,
  };
}

/**
 * Finds the place of a call, but not without end for whoever names machines and folders that are not there: each time,
 * the registry or the machine is asked.
 */
function boundedPlace(place: Door['place']): Door['place'] {
  const refused = new MinuteCounts();
  return (contract, input, caller) => {
    const key = `${contract.wireName} ${caller.principal}`;
    const now = Date.now();
    if (refused.of(key, now) >= contract.limits.perMinute) {
      const retryAfter = untilNextMinute(now) / 1000;
      return { kind: 'failed', failure: doorFailure('rate_limited', { retryAfter }) };
    }
    const found = place(contract, input, caller);
    if (!(found instanceof Promise)) return found;
    return found.then((answer) => {
      // A machine that is away is asked for until it is back, and that is no guessing.
      const isNowhere = 'kind' in answer && answer.failure.code !== 'machine_offline';
      if (isNowhere) refused.add(key, now);
      return answer;
    });
  };
}

/** Opens another approval of a call that found things other than the owner saw them. */
async function askAnew(
  prepared: PreparedCall,
  call: GateCall,
  look: () => Promise<Looked>,
  ports: GateDoorPorts,
): Promise<void> {
  // What the caller came back with was used up by the call that changed nothing.
  const looked = await lookBefore({ ...call, retryOf: null }, look, ports);
  if ('kind' in looked) return;
  const answer = await ports.gate().admit(looked, []);
  if (answer.kind === 'ask' && answer.isNew) await ports.announce(answer.approval, prepared);
  if (answer.kind !== 'admitted') return;
  // Something lets it run by now, but nobody waits for it here.
  const end = endOf(prepared.contract, { kind: 'failed', failure: doorFailure('changed_since_approval') });
  await ports.gate().settle([{ seq: answer.seq, end }]);
}
