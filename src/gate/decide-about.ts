import { effectErrors } from '../../contracts/door-errors.ts';
import type { Question, Refusal, Result } from '../core/call.ts';
import { doorFailure, failureOf } from '../core/failure.ts';
import type { PreparedCall } from '../core/prepared-call.ts';
import { type Looked, lookOrNone } from '../core/preview.ts';
import { visible } from '../core/visible.ts';
import type { AdmitQueue } from './admit-queue.ts';
import { answerEarlier, answerUnsettled, type EarlierPorts } from './earlier-answer.ts';
import { askThroughClient, declined } from './elicitation.ts';
import type { GateDoorPorts } from './gate-door-ports.ts';
import type { GateAnswer, GateCall, OpenApproval } from './messages.ts';

/** How long an undecided call is held before the model is told to come back. */
const HOLD_MS = 40_000;
/** How often a held call says that it is still there. */
const BEAT_MS = 8_000;

type LetIn = Extract<GateAnswer, { kind: 'admitted' }>;
type Waiting = Extract<GateAnswer, { kind: 'ask' }>;

/** The gate's word on a call: asked as often as it takes, with the owner and earlier calls looked after. */
export async function decideAbout(
  prepared: PreparedCall,
  asked: GateCall,
  look: () => Promise<Looked>,
  ports: GateDoorPorts,
  admits: AdmitQueue,
): Promise<LetIn | Result> {
  const { caller } = prepared;
  if (asked.retryOf !== null && declined(caller)) await ports.gate().decline(asked.retryOf, caller.principal);
  const asking = new Asking(prepared, asked, look, ports);
  for (;;) {
    const answer = await askOrHold(asking, admits);
    if (answer.kind !== 'unsettled') return conclude(answer, prepared, ports);
    const known = await answerUnsettled(answer, prepared, earlierPorts(ports));
    if (known !== 'not_run') return known;
    // What did not run does not stand in the way of the same call now.
    asking.call = { ...asking.call, voidedUpTo: answer.seq };
  }
}

/** A call that is put to the gate again and again, until there is a word on it. */
class Asking {
  readonly prepared: PreparedCall;
  readonly ports: GateDoorPorts;
  readonly #look: () => Promise<Looked>;
  call: GateCall;

  constructor(prepared: PreparedCall, call: GateCall, look: () => Promise<Looked>, ports: GateDoorPorts) {
    this.prepared = prepared;
    this.call = call;
    this.#look = look;
    this.ports = ports;
  }

  /** Asks the gate, and looks first at what the call would do if the owner is to be asked. */
  async ask(send: (call: GateCall) => Promise<GateAnswer>): Promise<GateAnswer | Refusal> {
    const answer = await send(this.call);
    if (answer.kind !== 'look') return this.#told(answer);
    const looked = await lookBefore(this.call, this.#look, this.ports);
    // Whoever left meanwhile waits for no answer, and the owner is asked nothing for them.
    if (!this.isAwaited()) return { kind: 'failed', failure: doorFailure('cancelled') };
    // Nobody is asked about a call that would be refused anyway.
    if ('kind' in looked) return looked;
    this.call = looked;
    return this.#told(await send(looked));
  }

  /** Whether the caller is still there. */
  isAwaited(): boolean {
    return this.prepared.caller.signal?.aborted !== true;
  }

  #told(answer: GateAnswer): GateAnswer {
    const { announce, later, report } = this.ports;
    if (answer.kind === 'ask' && answer.isNew)
      later(announce(answer.approval, this.prepared).catch((error) => report(error, 'announce')));
    return answer;
  }
}

/** The call with what the owner is to see of it, or the failure that it would end with. */
export async function lookBefore(
  call: GateCall,
  look: () => Promise<Looked>,
  { report }: Pick<GateDoorPorts, 'report'>,
): Promise<GateCall | Refusal> {
  const looked = await lookOrNone(look, (error) => report(error, 'preview'));
  if (!('kind' in looked)) return { ...call, shown: { preview: looked } };
  return looked.kind === 'failed' ? looked : { ...call, shown: { why: looked.why } };
}

/** The gate's word on a call; one that needs a yes is put to its client, or held for a while. */
async function askOrHold(asking: Asking, admits: AdmitQueue): Promise<GateAnswer | Question | Refusal> {
  const answer = await asking.ask((call) => admits.admit(call));
  if (answer.kind !== 'ask') return answer;
  const { origin } = asking.ports;
  const question =
    origin === undefined ? undefined : askThroughClient(asking.prepared.caller, answer.approval, origin);
  return question ?? hold(asking, answer);
}

/** Holds a call while the owner makes up their mind, telling the client now and then that it is held. */
async function hold(asking: Asking, first: Waiting): Promise<GateAnswer | Refusal> {
  const { caller } = asking.prepared;
  const { gate } = asking.ports;
  let answer: GateAnswer | Refusal = first;
  for (let waited = 0; waited < HOLD_MS && answer.kind === 'ask' && asking.isAwaited(); waited += BEAT_MS) {
    const { approval } = answer;
    caller.progress?.({
      progress: waited,
      total: HOLD_MS,
      message: `Waiting for the owner to decide (${approval.code}).`,
    });
    // The object may go away while it waits with us, and the way to it with it; asked again by a new one, it
    // finds everything as it was.
    await gate()
      .awaitDecision(approval.id, BEAT_MS)
      .catch(() => undefined);
    // Whoever left meanwhile would only use up the yes that may have come.
    if (!asking.isAwaited()) break;
    answer = await asking.ask((call) => gate().admit(call, []));
  }
  return answer;
}

function conclude(
  answer: Exclude<GateAnswer, { kind: 'unsettled' }> | Question | Refusal,
  prepared: PreparedCall,
  ports: GateDoorPorts,
): LetIn | Question | Refusal | Promise<Result> {
  switch (answer.kind) {
    case 'needs_input':
    case 'failed':
    case 'admitted':
      return answer;
    case 'ask':
      return stillUndecided(answer.approval, ports.origin);
    case 'look':
      throw new Error('The gate asked for a preview that it was given.');
    case 'refused':
      return refuse(answer);
    case 'earlier':
      return answerEarlier(answer, prepared, earlierPorts(ports));
  }
}

function earlierPorts({ gate, fate, report }: GateDoorPorts): EarlierPorts {
  return { ...(fate ? { fate } : {}), settle: (endings) => gate().settle(endings), report };
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

function refuse({ code, retryAfterMs, note }: Extract<GateAnswer, { kind: 'refused' }>): Refusal {
  if (code === 'idempotency_conflict') {
    return { kind: 'failed', failure: failureOf(code, effectErrors.idempotency_conflict) };
  }
  return {
    kind: 'failed',
    failure: doorFailure(code, {
      ...(retryAfterMs === undefined ? {} : { retryAfter: retryAfterMs / 1000 }),
      ...(note === undefined ? {} : { message: `The owner said no to this call: “${visible(note)}”` }),
    }),
  };
}
