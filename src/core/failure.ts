import type { ErrorSpec } from '../../contracts/contract.ts';
import { type DoorErrorCode, doorErrors } from '../../contracts/door-errors.ts';

/** A failure as every way in reports it. */
export interface Failure {
  readonly code: string;
  readonly http_status: number;
  readonly message: string;
  readonly suggestion: string;
  /** Whole seconds until a retry can succeed. */
  readonly retry_after?: number;
  /** The ledger's name for the call, when there is one. */
  readonly call_id?: string;
  /** Set if this is how an earlier call ended, and nothing ran now. */
  readonly replayed?: true;
  /** What a tool answered instead of what it promised, as it came. Nobody has understood it. */
  readonly raw?: string;
}

/** What a failure says beyond its table entry. */
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

/** A failure that any tool can have. */
export function doorFailure(code: DoorErrorCode, detail?: FailureDetail): Failure {
  return failureOf(code, doorErrors[code], detail);
}

/** What an unforeseen exception is turned into; its text stays inside. */
export function internalFailure(callId: string): Failure {
  return {
    ...doorFailure('internal_error', { message: `Something went wrong inside Bowline (call ${callId}).` }),
    call_id: callId,
  };
}
