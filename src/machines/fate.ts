import { isWithin } from '../core/clock.ts';
import type { EarlierCall, Fate } from '../core/fate.ts';
import type { PreparedCall } from '../core/prepared-call.ts';
import { endedWith } from './answer.ts';
import type { Machines } from './reach.ts';

/** The time that a call may take to reach its machine's object. */
const ON_ITS_WAY_MS = 5_000;

/** Asks the machines' objects what became of a machine's call, for `get_call`. */
export async function fateOnMachine(
  { contract, caller }: PreparedCall,
  { callId, at }: EarlierCall,
  machines: Machines,
): Promise<Fate | undefined> {
  const kept = await machines.outcome(callId, caller.principal);
  if (!kept && isWithin(ON_ITS_WAY_MS, at, Date.now())) return undefined;
  // The call may have been lost before it was stored, or its machine may not be paired any more.
  if (!kept) return { kind: 'unknown' };
  switch (kept.state) {
    case 'done':
    case 'failed':
      return { kind: 'ended', result: endedWith(contract, kept.text ?? ''), at: kept.finishedAt };
    case 'not_run':
      return { kind: 'not_run' };
    case 'unknown':
      return { kind: 'unknown' };
    case 'open':
      return openFate(callId, kept.machine, kept.awaySince);
  }
}

function openFate(callId: string, machine: string, awaySince: number | null): Fate {
  if (awaySince === null) {
    return {
      kind: 'running',
      detail: {
        message: `The same call is running on ${machine} at this moment (call ${callId}).`,
        suggestion: `Ask for its outcome with \`get_call\` and the call id ${callId}.`,
      },
    };
  }
  const since = new Date(awaySince).toISOString();
  return {
    kind: 'unknown',
    detail: {
      message: `The call was sent to ${machine}, which has not been connected since ${since}. Once ${machine} is back, it can say whether the call took effect (call ${callId}).`,
      suggestion: `Repeat it under the same idempotency key, or ask \`get_call\`, when ${machine} is connected. Until then, do not send it in another way.`,
    },
  };
}
