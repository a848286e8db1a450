import { utf8Bytes } from '../../contracts/bytes.ts';
import type { AnyContract } from '../../contracts/contract.ts';
import { effectErrors } from '../../contracts/door-errors.ts';
import type { Caller, Refusal, Result } from '../core/call.ts';
import { callDigest } from '../core/call-digest.ts';
import { doorFailure, failureOf } from '../core/failure.ts';
import type { Admission, Door, Request } from '../core/invoke.ts';
import { canonicalJson } from '../core/json.ts';
import { redactValue } from '../core/redact.ts';
import { schemaHash } from '../surfaces/describe.ts';
import { askThroughClient, declined } from './elicitation.ts';
import type { EarlierAnswer, GateAnswer, GateCall, GateEnd, OpenApproval } from './messages.ts';

/** What the door asks of the gate's object, by one hop each. */
export interface GatePort {
  admit(call: GateCall): Promise<GateAnswer>;
  settle(seq: number, end: GateEnd): Promise<void>;
  /** Writes down a call that was turned away. */
  record(call: GateCall, end: GateEnd): Promise<void>;
  /** Waits, up to a time, for the owner to decide. */
  awaitDecision(approvalId: string, ms: number): Promise<void>;
  /** The caller's own no. */
  decline(approvalId: string, principal: string): Promise<void>;
}

export interface GateDoorPorts {
  gate(): GatePort;
  /** The gateway's origin, where approvals have their pages. */
  readonly origin: string;
  newCallId(): string;
  /** Lets work go on after the answer has left. */
  later(work: Promise<unknown>): void;
  /** Tells the owner of an approval that was just opened. */
  announce(approval: OpenApproval, request: Request): Promise<void>;
  report(error: unknown, where: string): void;
}

/** How long an undecided call is held before the model is told to come back. */
const HOLD_MS = 40_000;
/** How often a held call says that it is still there. */
const BEAT_MS = 8_000;
/** Longer outputs are not kept for a repeat. */
const MAX_KEPT_CHARS = 256 * 1024;

/** The door of the gateway: every call goes through the gate's object before it runs. */
export function gateDoor(ports: GateDoorPorts): Door {
  const { later, report } = ports;
  const admitted = new WeakMap<Request, number>();

  return {
    newCallId: ports.newCallId,
    report,
    async admit(request) {
      const answer = await admitOrHold(request, ports);
      if ('seq' in answer) {
        admitted.set(request, answer.seq);
        return 'admitted';
      }
      return answer;
    },
    settle(request, result) {
      const seq = admitted.get(request);
      const end = endOf(request.contract, result);
      const gate = ports.gate();
      const written = seq === undefined ? gate.record(gateCall(request), end) : gate.settle(seq, end);
      // A read's answer need not wait for the ledger; a change must be on record before it is told.
      if (seq !== undefined && request.contract.risk !== 'read_only') return written;
      later(written.catch((error) => report(error, 'ledger')));
      return undefined;
    },
  };
}

type Admitted = { readonly seq: number };

async function admitOrHold(
  request: Request,
  ports: GateDoorPorts,
): Promise<Admitted | Exclude<Admission, 'admitted'>> {
  const { later } = ports;
  const { caller } = request;
  const gate = ports.gate();
  const call = gateCall(request);
  if (call.retryOf !== null && declined(caller)) await gate.decline(call.retryOf, caller.principal);
  let answer = await gate.admit(call);
  if (answer.kind === 'ask') {
    const { approval, isNew } = answer;
    if (isNew) later(ports.announce(approval, request).catch((error) => ports.report(error, 'announce')));
    const question = askThroughClient(caller, approval, ports.origin);
    if (question) return question;
    answer = await hold(call, approval, caller, gate);
  }
  switch (answer.kind) {
    case 'admitted':
      return { seq: answer.seq };
    case 'ask':
      return stillUndecided(answer.approval, ports.origin);
    case 'refused':
      return refuse(answer.code, answer.retryAfterMs);
    case 'earlier':
      return repeated(answer);
  }
}

/** Holds a call while the owner makes up their mind, telling the client now and then that it is held. */
async function hold(
  call: GateCall,
  approval: OpenApproval,
  caller: Caller,
  gate: GatePort,
): Promise<GateAnswer> {
  let answer: GateAnswer = { kind: 'ask', approval, isNew: false };
  for (let waited = 0; waited < HOLD_MS && answer.kind === 'ask'; waited += BEAT_MS) {
    if (caller.signal?.aborted) break;
    caller.progress?.({
      progress: waited,
      total: HOLD_MS,
      message: `Waiting for the owner to decide (${approval.code}).`,
    });
    // The object may be evicted while it waits with us; asking again finds everything as it was.
    await gate.awaitDecision(approval.id, BEAT_MS).catch(() => undefined);
    answer = await gate.admit(call);
  }
  return answer;
}

function stillUndecided({ code }: OpenApproval, origin: string): Refusal {
  return {
    kind: 'failed',
    failure: doorFailure('approval_required', {
      message: `The owner has to approve this call first: ${code}, at ${origin}/approvals/${code}`,
      suggestion: `Ask the owner to decide about ${code} there (or with \`bowline approvals approve ${code}\`), then call again with exactly the same arguments.`,
    }),
  };
}

function refuse(code: Extract<GateAnswer, { kind: 'refused' }>['code'], retryAfterMs?: number): Refusal {
  if (code === 'idempotency_conflict') {
    return { kind: 'failed', failure: failureOf(code, effectErrors.idempotency_conflict) };
  }
  return {
    kind: 'failed',
    failure: doorFailure(code, retryAfterMs === undefined ? {} : { retryAfter: retryAfterMs / 1000 }),
  };
}

function repeated({ callId, outcome, result, suspected }: EarlierAnswer): Result {
  if (result === null)
    return { kind: 'failed', failure: { ...doorFailure('duplicate_call'), call_id: callId } };
  // What is read back is what this side wrote when the call ended.
  if (outcome === 'failed') return { kind: 'failed', failure: JSON.parse(result) };
  const meta = suspected ? { duplicate_suspected: true, earlier_call: callId } : { replayed_call: callId };
  return { kind: 'ok', output: JSON.parse(result), meta };
}

/** The call in the gate's terms. */
function gateCall({ callId, contract, input, caller }: Request): GateCall {
  const params = isRecord(input) ? input : {};
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
    digest: callDigest({
      tool: contract.wireName,
      schemaHash: schemaHash(contract),
      machine,
      root: textIn(params, 'root'),
      params,
    }),
    args: canonicalJson(params),
    shownArgs: canonicalJson(shortened(redactValue(params))),
    idempotencyKey: isEffect ? textIn(params, 'idempotency_key') : null,
    repeat: params.repeat === true,
    retryOf: caller.answers?.state ?? null,
  };
}

function endOf(contract: AnyContract, result: Result): GateEnd {
  // A read is simply made again, so only what changed something is kept for a repeat.
  const keep = (value: unknown) => {
    const text = contract.risk === 'read_only' ? '' : JSON.stringify(redactValue(value));
    return text !== '' && text.length <= MAX_KEPT_CHARS ? text : null;
  };
  switch (result.kind) {
    case 'ok': {
      const bytes = utf8Bytes(JSON.stringify(result.output));
      return { outcome: 'ok', code: null, bytes, result: keep(result.output) };
    }
    case 'failed':
      return { outcome: 'failed', code: result.failure.code, bytes: 0, result: keep(result.failure) };
    case 'needs_input':
      return { outcome: 'asked', code: null, bytes: 0, result: null };
  }
}

/** Longer texts are no use in a list of what happened. */
const MAX_LEDGER_CHARS = 2_000;

function shortened(value: unknown): unknown {
  if (typeof value === 'string' && value.length > MAX_LEDGER_CHARS) {
    return `${value.slice(0, MAX_LEDGER_CHARS).toWellFormed()}… [${value.length} characters]`;
  }
  if (Array.isArray(value)) return value.slice(0, MAX_LEDGER_CHARS).map(shortened);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item)]));
}

function textIn(params: Record<string, unknown>, key: string): string | null {
  const value = params[key];
  return typeof value === 'string' ? value : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
