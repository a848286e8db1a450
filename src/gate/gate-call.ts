import { utf8Bytes } from '../../contracts/bytes.ts';
import type { AnyContract } from '../../contracts/contract.ts';
import { outputJson, type Result } from '../core/call.ts';
import { isRecord } from '../core/is-record.ts';
import { canonicalJson } from '../core/json.ts';
import type { AskedCall, PreparedCall } from '../core/prepared-call.ts';
import { redactValue } from '../core/redact.ts';
import { isJoinedName } from '../joined/names.ts';
import { affectedFiles } from './affected-files.ts';
import { argsForLedger, summaryForLedger } from './ledger-args.ts';
import type { GateCall, GateEnd } from './messages.ts';

/** Longer outputs are not kept for a repeat. */
const MAX_KEPT_CHARS = 256 * 1024;

/** Translates a call into the gate's terms. */
export function gateCall(call: PreparedCall): GateCall {
  const { contract, params, args, digest, machine, root, reason } = call;
  const why = reason === undefined ? {} : { reason };
  // Machines get the canonical text. Tools of the gateway may write keys down in the order in which they came.
  const sent = machine === null && contract.risk !== 'read_only' ? JSON.stringify(params) : args;
  const shown = { ...params, ...why, ...(root ? { root: root.name } : {}) };
  return {
    ...whoCalls(call, params),
    ...why,
    machine: machine?.name ?? null,
    machineId: machine?.id ?? null,
    root: root?.name ?? null,
    digest,
    args,
    ...(sent === args ? {} : { sent }),
    shownArgs: argsForLedger(shown),
    ...(isPlainRead(call) ? { isPlainRead: true as const } : {}),
  };
}

/** The most arguments of a read that is remembered. Many of them travel in one message. */
const MAX_PLAIN_ARGS = 4_000;
/** The longest time that the contract of such a read may give it. */
const MAX_PLAIN_MS = 10_000;

/** Tells if a call only reads what the gateway itself has. What goes out may be seen there, and counts as an effect here. */
function isPlainRead({ contract, machine, args }: PreparedCall): boolean {
  const { risk, approval, hints, limits, wireName } = contract;
  const isInside = machine === null && !hints.openWorld && !isJoinedName(wireName);
  // What may take longer asks somebody else, such as a language model.
  const isQuick = limits.timeoutMs <= MAX_PLAIN_MS;
  return risk === 'read_only' && approval === 'never' && isInside && isQuick && args.length <= MAX_PLAIN_ARGS;
}

/** Describes, for the ledger, a call that ended before it was prepared. */
function unpreparedCall(call: AskedCall): GateCall {
  const { input, isInvalid } = call;
  // Input that does not fit its schema never runs, so nothing needs its values.
  const params = isRecord(input) && !isInvalid ? input : {};
  return {
    ...whoCalls(call, params),
    machine: null,
    machineId: null,
    root: null,
    digest: '',
    args: '',
    shownArgs: isInvalid ? summaryForLedger(input) : argsForLedger(params),
  };
}

function whoCalls({ callId, contract, caller }: AskedCall, params: Readonly<Record<string, unknown>>) {
  const key = contract.risk === 'read_only' ? undefined : params.idempotency_key;
  return {
    callId,
    principal: caller.principal,
    client: caller.client,
    via: caller.via,
    tool: contract.wireName,
    ...(contract.group === undefined ? {} : { group: contract.group }),
    risk: contract.risk,
    approval: contract.approval,
    perMinute: contract.limits.perMinute,
    idempotencyKey: typeof key === 'string' ? key : null,
    requestName:
      contract.risk !== 'read_only' && params.repeat !== true ? (caller.requestName ?? null) : null,
    voidedUpTo: 0,
    shown: contract.hasPreview ? null : { why: 'This tool has no preview.' },
    retryOf: caller.answers?.state ?? null,
  };
}

/** The most arguments that the ledger keeps of a refused call. */
const MAX_REFUSED_ARGS = 1_000;

/**
 * Describes a refused call. The ledger gets the beginning of its arguments, because nobody needs the rest.
 */
export function refusedCall(asked: AskedCall | PreparedCall): GateCall {
  const call = withoutSent('digest' in asked ? gateCall(asked) : unpreparedCall(asked));
  const { shownArgs } = call;
  if (shownArgs.length <= MAX_REFUSED_ARGS) return { ...call, args: '' };
  const start = shownArgs.slice(0, MAX_REFUSED_ARGS).toWellFormed();
  return {
    ...call,
    args: '',
    shownArgs: canonicalJson({ '…': `${start}… [${shownArgs.length} characters]` }),
  };
}

/** Leaves out the arguments as they were sent, because the ends of many refused calls have to fit into one message. */
function withoutSent(whole: GateCall): GateCall {
  const { sent: _, ...call } = whole;
  return call;
}

/** Describes in the gate's terms how a call ended. */
export function endOf(contract: AnyContract, result: Result): GateEnd {
  const at = Date.now();
  // A read is simply made again, so keep only results of calls with an effect, without secrets.
  const isKept = contract.risk !== 'read_only';
  const written = (value: unknown) => JSON.stringify(isKept ? redactValue(value) : value);
  const kept = (text: string) => (isKept && text.length <= MAX_KEPT_CHARS ? text : null);
  switch (result.kind) {
    case 'ok': {
      // Write it once, to measure it and to keep it, because an output may be long.
      const text = isKept ? written(result.output) : outputJson(result);
      const files = isKept ? affectedFiles(result.output) : undefined;
      const ended = { at, outcome: 'ok', code: null, bytes: utf8Bytes(text), result: kept(text) } as const;
      return files === undefined ? ended : { ...ended, files };
    }
    case 'failed': {
      const { failure } = result;
      return { at, outcome: 'failed', code: failure.code, bytes: 0, result: kept(written(failure)) };
    }
    case 'needs_input':
      return { at, outcome: 'asked', code: null, bytes: 0, result: null };
  }
}
