import type { ErrorSpec } from '../../contracts/contract.ts';
import { type DoorErrorCode, doorErrors } from '../../contracts/door-errors.ts';

/** A failure in the form that every way in reports. */
export interface Failure {
  readonly code: string;
  readonly http_status: number;
  readonly message: string;
  readonly suggestion: string;
  /** Whole seconds until a retry can succeed. */
  readonly retry_after?: number;
  /** The call's name in the ledger, if it has one. */
  readonly call_id?: string;
  /** True if an earlier call ended so, and nothing ran now. */
  readonly replayed?: true;
  /** The answer of a tool that broke its promise, as it came. Nobody has checked it. */
  readonly raw?: string;
}

/** The details that a failure adds to its entry in the contract's table. */
export interface FailureDetail {
  readonly message?: string;
  readonly suggestion?: string;
  readonly retryAfter?: number;
  readonly raw?: string;
}

export function failureOf(code: string, spec: ErrorSpec, detail: FailureDetail = {}): Failure {
  return {
    code,
    http_status: spec.status,
    message: detail.message ?? spec.message,
    suggestion: detail.suggestion ?? spec.suggestion,
    ...(detail.retryAfter === undefined ? {} : { retry_after: Math.max(1, Math.ceil(detail.retryAfter)) }),
    ...(detail.raw === undefined ? {} : { raw: detail.raw }),
  };
}

/** Makes a failure that any tool can have. */
export function doorFailure(code: DoorErrorCode, detail?: FailureDetail): Failure {
  return failureOf(code, doorErrors[code], detail);
}

/**
 * Makes the failure for a full disk. What a call was to change is stored whole or not at all; a call that never began
 * has not run.
 */
export function diskFailure(callId: string, hasBegun: boolean): Failure {
  const message = hasBegun
    ? `The disk became full while call ${callId} ran, so it may not have taken effect.`
    : `The disk of the gateway is full. Call ${callId} could not be recorded, so it did not run.`;
  return { ...doorFailure('disk_full', { message }), call_id: callId };
}

/** Makes the failure for an exception that nobody foresaw. The exception's text stays inside. */
export function internalFailure(callId: string): Failure {
  return {
    ...doorFailure('internal_error', { message: `Something went wrong inside Bowline (call ${callId}).` }),
    call_id: callId,
  };
}
