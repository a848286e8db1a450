import { machineErrors } from '../../contracts/door-errors.ts';
import type { Refusal } from './call.ts';
import { type FailureDetail, failureOf } from './failure.ts';

/** Makes a failure that every machine tool can have. */
export function machineFailure(code: keyof typeof machineErrors, detail?: FailureDetail): Refusal {
  return { kind: 'failed', failure: failureOf(code, machineErrors[code], detail) };
}

/** Says that the machine is not connected, and since when. */
export function offline(name: string, since: number | null): Refusal {
  const message =
    since === null
      ? `${name} has never been connected.`
      : `${name} has not been connected since ${new Date(since).toISOString()}.`;
  return machineFailure('machine_offline', { message });
}
