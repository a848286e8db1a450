import { effectErrors } from '../../contracts/door-errors.ts';
import { ANYBODY, type Question, type Refusal, type Result } from '../core/call.ts';
import { doorFailure, failureOf } from '../core/failure.ts';
import type { Admission, Door, Request } from '../core/invoke.ts';
import { type AdmitPort, AdmitQueue } from './admit-queue.ts';
import { answerEarlier, answerUnsettled, type EarlierPorts } from './earlier-answer.ts';
import { askThroughClient, declined } from './elicitation.ts';
import { EndQueue } from './end-queue.ts';
import { endOf, gateCall, refusedCall } from './gate-call.ts';
import type { Ending, GateAnswer, GateCall, OpenApproval } from './messages.ts';

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
  /** Asks whoever was to run an earlier call what became of it; left out where nobody knows more than the gate. */
  readonly fate?: EarlierPorts['fate'];
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
      // An outcome that was given again is kept where it was made.
      const turnedAway = { call: refusedCall(request), end: { ...end, result: null } };
      endings.add(seq === undefined ? turnedAway : { seq, end });
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
  const { caller } = request;
  let call = gateCall(request);
  if (call.retryOf !== null && declined(caller)) await ports.gate().decline(call.retryOf, caller.principal);
  for (;;) {
    const answer = await askOrHold(call, request, ports, admits);
    if (answer.kind !== 'unsettled') return conclude(answer, request, ports);
    const known = await answerUnsettled(answer, request, earlierPorts(ports));
    if (known !== 'not_run') return known;
    // What did not run does not stand in the way of the same call now.
    call = { ...call, voidedUpTo: answer.seq };
  }
}

/** The gate's word on a call; one that needs a yes is put to its client, or held for a while. */
async function askOrHold(
  call: GateCall,
  request: Request,
  ports: GateDoorPorts,
  admits: AdmitQueue,
): Promise<GateAnswer | Question> {
  const answer = await admits.admit(call);
  if (answer.kind !== 'ask') return answer;
  tellOwner(answer, request, ports);
  const { origin } = ports;
  const question =
    origin === undefined ? undefined : askThroughClient(request.caller, answer.approval, origin);
  return question ?? hold(call, answer, request, ports);
}

function conclude(
  answer: Exclude<GateAnswer, { kind: 'unsettled' }> | Question,
  request: Request,
  ports: GateDoorPorts,
): Admitted | Question | Refusal | Promise<Result> {
  switch (answer.kind) {
    case 'needs_input':
      return answer;
    case 'admitted':
      return { seq: answer.seq };
    case 'ask':
      return stillUndecided(answer.approval, ports.origin);
    case 'refused':
      return refuse(answer.code, answer.retryAfterMs);
    case 'earlier':
      return answerEarlier(answer, request, earlierPorts(ports));
  }
}

function earlierPorts({ gate, fate, report }: GateDoorPorts): EarlierPorts {
  return { ...(fate ? { fate } : {}), settle: (endings) => gate().settle(endings), report };
}

function tellOwner({ approval, isNew }: Waiting, request: Request, ports: GateDoorPorts): void {
  if (!isNew) return;
  ports.later(ports.announce(approval, request).catch((error) => ports.report(error, 'announce')));
}

type Waiting = Extract<GateAnswer, { kind: 'ask' }>;

/** Holds a call while the owner makes up their mind, telling the client now and then that it is held. */
async function hold(
  call: GateCall,
  first: Waiting,
  request: Request,
  ports: GateDoorPorts,
): Promise<GateAnswer> {
  const { caller } = request;
  const isThere = () => caller.signal?.aborted !== true;
  let answer: GateAnswer = first;
  for (let waited = 0; waited < HOLD_MS && answer.kind === 'ask' && isThere(); waited += BEAT_MS) {
    const { approval } = answer;
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
    if (!isThere()) break;
    answer = await ports.gate().admit(call, []);
    // A call like this one was waiting, too, and used up the yes: this one needs another.
    if (answer.kind === 'ask') tellOwner(answer, request, ports);
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
