import { utf8Bytes } from '../../contracts/bytes.ts';
import type { AnyContract } from '../../contracts/contract.ts';
import type { Result } from '../core/call.ts';
import type { Request } from '../core/invoke.ts';
import { canonicalJson } from '../core/json.ts';
import { redactValue } from '../core/redact.ts';
import { digestOfCall } from '../surfaces/digest-of-call.ts';
import { argsForLedger, summaryForLedger } from './ledger-args.ts';
import type { GateCall, GateEnd } from './messages.ts';

/** Longer outputs are not kept for a repeat. */
const MAX_KEPT_CHARS = 256 * 1024;

/** The call in the gate's terms. */
export function gateCall({ callId, contract, input, isInvalid, caller }: Request): GateCall {
  // What does not fit its schema never runs, so nothing needs its values.
  const params = isRecord(input) && !isInvalid ? input : {};
  const machine = textIn(params, 'machine');
  const isEffect = contract.risk !== 'read_only';
  return {
    callId,
    principal: caller.principal,
    client: caller.client,
    via: caller.via,
    tool: contract.wireName,
    machine,
    risk: contract.risk,
    approval: contract.approval,
    perMinute: contract.limits.perMinute,
    digest: digestOfCall(contract, params),
    args: canonicalJson(params),
    shownArgs: isInvalid ? summaryForLedger(input) : argsForLedger(params),
    idempotencyKey: isEffect ? textIn(params, 'idempotency_key') : null,
    requestName: isEffect && params.repeat !== true ? (caller.requestName ?? null) : null,
    voidedUpTo: 0,
    retryOf: caller.answers?.state ?? null,
  };
}

/** As much as the ledger keeps of what a refused call was to be called with. */
const MAX_REFUSED_ARGS = 1_000;

/** A call that was turned away: the ledger gets the beginning of its arguments, and nobody needs the whole. */
export function refusedCall(request: Request): GateCall {
  const call = gateCall(request);
  const { shownArgs } = call;
  if (shownArgs.length <= MAX_REFUSED_ARGS) return { ...call, args: '' };
  const start = shownArgs.slice(0, MAX_REFUSED_ARGS).toWellFormed();
  return {
    ...call,
    args: '',
    shownArgs: canonicalJson({ '…': `${start}… [${shownArgs.length} characters]` }),
  };
}

/** How a call ended, in the gate's terms. */
export function endOf(contract: AnyContract, result: Result): GateEnd {
  const at = Date.now();
  // A read is simply made again, so only what changed something is kept for a repeat.
  const keep = (value: unknown) => {
    const text = contract.risk === 'read_only' ? '' : JSON.stringify(redactValue(value));
    return text !== '' && text.length <= MAX_KEPT_CHARS ? text : null;
  };
  switch (result.kind) {
    case 'ok': {
      const bytes = utf8Bytes(JSON.stringify(result.output));
      return { at, outcome: 'ok', code: null, bytes, result: keep(result.output) };
    }
    case 'failed':
      return { at, outcome: 'failed', code: result.failure.code, bytes: 0, result: keep(result.failure) };
    case 'needs_input':
      return { at, outcome: 'asked', code: null, bytes: 0, result: null };
  }
}

function textIn(params: Record<string, unknown>, key: string): string | null {
  const value = params[key];
  return typeof value === 'string' ? value : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
