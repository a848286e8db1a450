import { effectErrors } from '../../contracts/door-errors.ts';
import { ANYBODY, type Caller, type Refusal, type Result } from '../core/call.ts';
import { doorFailure, failureOf } from '../core/failure.ts';
import type { Admission, Door, Request } from '../core/invoke.ts';
import { type AdmitPort, AdmitQueue } from './admit-queue.ts';
import { askThroughClient, declined } from './elicitation.ts';
import { EndQueue } from './end-queue.ts';
import { endOf, gateCall, refusedCall } from './gate-call.ts';
import type { EarlierAnswer, Ending, GateAnswer, GateCall, OpenApproval } from './messages.ts';

/** What the door asks of the gate's object, by one hop each. */
export interface GatePort extends AdmitPort {
  settle(endings: Ending[]): Promise<void>;
  /** Waits, up to a time, for the owner to decide. */
  awaitDecision(approvalId: string, ms: number): Promise<void>;
  /** The caller's own no. */
  decline(approvalId: string, principal: string): Promise<void>;
}

export interface GateDoorPorts {
  gate(): GatePort;
  /** The gateway's origin, where approvals have their pages; without a gateway there are none. */
  readonly origin?: string;
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

/** The door of the gateway: every call goes through the gate's object before it runs. */
export function gateDoor(ports: GateDoorPorts): Door {
  const { later, report } = ports;
  const admitted = new WeakMap<Request, number>();
  const recorded = (work: Promise<unknown>) => later(work.catch((error) => report(error, 'ledger')));
  const endings = new EndQueue((waiting) => ports.gate().settle(waiting), recorded);
  const admits = new AdmitQueue({ gate: ports.gate, endings, later });

  return {
    newCallId: ports.newCallId,
    report,
    async admit(request) {
      const answer = await admitOrHold(request, ports, admits);
      if ('seq' in answer) {
        admitted.set(request, answer.seq);
        return 'admitted';
      }
      return answer;
    },
    settle(request, result) {
      const seq = admitted.get(request);
      if (seq === undefined && request.caller.principal === ANYBODY) {
        // Rows of strangers' refusals would let anybody fill the ledger.
        const code = result.kind === 'failed' ? result.failure.code : result.kind;
        endings.count({ principal: ANYBODY, tool: request.contract.wireName, code, at: Date.now() });
        return undefined;
      }
      const end = endOf(request.contract, result);
      // A change must be on record before it is told; a read's answer need not wait for the ledger.
      if (seq !== undefined && request.contract.risk !== 'read_only')
        return ports.gate().settle([{ seq, end }]);
      endings.add(seq === undefined ? { call: refusedCall(request), end } : { seq, end });
      return undefined;
    },
  };
}

type Admitted = { readonly seq: number };

async function admitOrHold(
  request: Request,
  ports: GateDoorPorts,
  admits: AdmitQueue,
): Promise<Admitted | Exclude<Admission, 'admitted'>> {
  const { later } = ports;
  const { caller } = request;
  const call = gateCall(request);
  if (call.retryOf !== null && declined(caller)) await ports.gate().decline(call.retryOf, caller.principal);
  let answer = await admits.admit(call);
  if (answer.kind === 'ask') {
    const { approval, isNew } = answer;
    if (isNew) later(ports.announce(approval, request).catch((error) => ports.report(error, 'announce')));
    const question =
      ports.origin === undefined ? undefined : askThroughClient(caller, approval, ports.origin);
    if (question) return question;
    answer = await hold(call, approval, caller, ports);
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
  ports: GateDoorPorts,
): Promise<GateAnswer> {
  const isThere = () => caller.signal?.aborted !== true;
  let answer: GateAnswer = { kind: 'ask', approval, isNew: false };
  for (let waited = 0; waited < HOLD_MS && answer.kind === 'ask' && isThere(); waited += BEAT_MS) {
    caller.progress?.({
      progress: waited,
      total: HOLD_MS,
      message: `Waiting for the owner to decide (${approval.code}).`,
    });
    // The object may go away while it waits with us, and the way to it with it; asked again by a new one, it
    // finds everything as it was.
    await ports
      .gate()
      .awaitDecision(approval.id, BEAT_MS)
      .catch(() => undefined);
    // Whoever left meanwhile would only use up the yes that may have come.
    if (isThere()) answer = await ports.gate().admit(call, []);
  }
  return answer;
}

function stillUndecided({ code }: OpenApproval, origin: string | undefined): Refusal {
  const [place, ways] =
    origin === undefined
      ? ['on this computer', `with \`bowline approvals approve ${code} --local\` in a terminal here`]
      : [`at ${origin}/approvals/${code}`, `there (or with \`bowline approvals approve ${code}\`)`];
  return {
    kind: 'failed',
    failure: doorFailure('approval_required', {
      message: `The owner has to approve this call first: ${code}, ${place}`,
      suggestion: `Ask the owner to decide about ${code} ${ways}, then call again with exactly the same arguments.`,
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
