import { ANYBODY, type Result } from '../core/call.ts';
import { doorFailure } from '../core/failure.ts';
import type { Door } from '../core/invoke.ts';
import type { AskedCall, PreparedCall } from '../core/prepared-call.ts';
import type { Looked } from '../core/preview.ts';
import { AdmitQueue } from './admit-queue.ts';
import { decideAbout, lookBefore } from './decide-about.ts';
import { replayedIn } from './earlier-answer.ts';
import { EndQueue } from './end-queue.ts';
import { endOf, gateCall, refusedCall } from './gate-call.ts';
import type { GateDoorPorts } from './gate-door-ports.ts';
import { KeptEnds } from './kept-ends.ts';
import type { GateCall } from './messages.ts';
import { MinuteCounts, untilNextMinute } from './minute-counts.ts';
import { OpenReads } from './open-reads.ts';

/** Makes the gateway's door. Every call asks the gate's object before it runs. */
export function gateDoor(ports: GateDoorPorts): Door {
  const { later, report } = ports;
  const recorded = (work: Promise<unknown>) => later(work.catch((error) => report(error, 'ledger')));
  const endings = new EndQueue((waiting) => ports.gate().settle(waiting), recorded);
  const ends = new KeptEnds({ settle: (ended) => ports.gate().settle(ended), later, report });
  const reads = new OpenReads({ gate: ports.gate, later: recorded });
  const admits = new AdmitQueue({ gate: ports.gate, endings, reads, later });
  /** Calls that never ran because nobody heard what the gate said of them. */
  const unheard = new WeakSet<AskedCall | PreparedCall>();
  /** Counts a stranger's call, which gets no row, or anybody could fill the ledger. */
  const countOnly = ({ caller, contract }: AskedCall | PreparedCall, result: Result) => {
    const code = result.kind === 'failed' ? result.failure.code : result.kind;
    endings.count({ principal: caller.principal, tool: contract.wireName, code, at: Date.now() });
  };
  const turnedAway = (call: AskedCall | PreparedCall, result: Result): undefined => {
    const { caller, contract } = call;
    if (caller.principal !== ANYBODY) {
      // An outcome that is given again is already kept with its first call.
      const end = { ...endOf(contract, result), result: null };
      const unsure = unheard.has(call) ? { isUnsure: true as const } : {};
      endings.add({ call: refusedCall(call), end, replayOf: replayedIn(result), ...unsure });
      return undefined;
    }
    countOnly(call, result);
    return undefined;
  };

  return {
    newCallId: ports.newCallId,
    place: boundedPlace(ports.place),
    report,
    async admit(prepared, look) {
      const { contract } = prepared;
      const call = gateCall(prepared);
      const deciding = decideAbout(prepared, call, look, ports, { admits, ends });
      const answer = await deciding.catch((error) => {
        unheard.add(prepared);
        throw error;
      });
      if (answer.kind !== 'admitted') {
        turnedAway(prepared, answer);
        return answer;
      }
      const { seq, seen, noted } = answer;
      if (seq !== null) ends.roomAgain();
      const settle = (result: Result) => {
        if (noted) return void reads.end(call, noted, endOf(contract, result));
        if (seq === null) return void countOnly(prepared, result);
        const ending = { seq, end: endOf(contract, result) };
        // Record a change before its caller hears of it. A read's answer need not wait for the ledger.
        if (contract.risk !== 'read_only') {
          const settled = ends.write(ending);
          if (ending.end.code === 'changed_since_approval') {
            // Show the owner the present state, so that the next call finds the question already open. Record
            // the end of this call first: while it is open, the same call would seem to be still running.
            const asking = settled.then(() => askAnew(prepared, call, look, ports, ends));
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
 * Finds the place of a call, but limits how often a caller may name machines and folders that do not exist,
 * because each time costs a question to the registry or the machine.
 */
function boundedPlace(place: Door['place']): Door['place'] {
  const refused = new MinuteCounts();
  return (contract, input, caller, onlyOn) => {
    const key = `${contract.wireName} ${caller.principal}`;
    const now = Date.now();
    if (refused.of(key, now) >= contract.limits.perMinute) {
      const retryAfter = untilNextMinute(now) / 1000;
      return { kind: 'failed', failure: doorFailure('rate_limited', { retryAfter }) };
    }
    const found = place(contract, input, caller, onlyOn);
    if (!(found instanceof Promise)) return found;
    return found.then((answer) => {
      // A caller asks for an absent machine until it is back, and that is not guessing.
      const isNowhere = 'kind' in answer && answer.failure.code !== 'machine_offline';
      if (isNowhere) refused.add(key, now);
      return answer;
    });
  };
}

/** Opens a new approval for a call that found another state than the owner saw. */
async function askAnew(
  prepared: PreparedCall,
  call: GateCall,
  look: () => Promise<Looked>,
  ports: GateDoorPorts,
  ends: KeptEnds,
): Promise<void> {
  // The call that changed nothing used up the approval that the caller came back with.
  const looked = await lookBefore({ ...call, retryOf: null }, look, ports);
  if ('kind' in looked) return;
  const answer = await ports.gate().admit(looked, []);
  if (answer.kind === 'ask' && answer.isNew) await ports.announce(answer.approval, prepared);
  if (answer.kind !== 'admitted' || answer.seq === null) return;
  // By now something allows the call, but nobody waits for it here.
  const end = endOf(prepared.contract, { kind: 'failed', failure: doorFailure('changed_since_approval') });
  await ends.write({ seq: answer.seq, end });
}
