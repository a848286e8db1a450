import { doorFailure } from './failure.ts';
import type { Admission, Admitted, Door } from './invoke.ts';
import { AT_THE_GATEWAY, type PreparedCall } from './prepared-call.ts';

/** Lets a call run and keeps no record of its end. */
export const ADMITTED: Admitted = { kind: 'admitted', settle: () => undefined };

/** The parts of a door that has one place to run calls in and keeps no ledger. */
export const NO_LEDGER: Pick<Door, 'place' | 'turnedAway'> = {
  place: () => AT_THE_GATEWAY,
  turnedAway: () => undefined,
};

/** Admits calls that need nobody's yes, and refuses all others. A side without a gate uses it. */
export function admitWithoutGate({ contract }: PreparedCall): Admission {
  if (contract.approval === 'never') return ADMITTED;
  return { kind: 'failed', failure: doorFailure('approval_required') };
}
