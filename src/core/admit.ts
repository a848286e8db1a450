import { doorFailure } from './failure.ts';
import type { Admission, Request } from './invoke.ts';

/** Lets through what needs nobody's yes and nothing else: the rule of a side that has no gate to ask. */
export function admitWithoutGate({ contract }: Request): Admission {
  if (contract.approval === 'never') return 'admitted';
  return { kind: 'failed', failure: doorFailure('approval_required') };
}
