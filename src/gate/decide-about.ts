import type { AnyContract } from '../../contracts/contract.ts';
import { effectErrors } from '../../contracts/door-errors.ts';
import type { Caller, Question, Refusal, Result } from '../core/call.ts';
import { hasLeft } from '../core/call-end.ts';
import { doorFailure, failureOf } from '../core/failure.ts';
import type { PreparedCall } from '../core/prepared-call.ts';
import { type Looked, lookOrNone } from '../core/preview.ts';
import { visible } from '../core/visible.ts';
import type { AdmitQueue } from './admit-queue.ts';
import { answerEarlier, answerUnsettled, type EarlierPorts } from './earlier-answer.ts';
import { askThroughClient, declined, pageOf } from './elicitation.ts';
import type { GateDoorPorts } from './gate-door-ports.ts';
import type { KeptEnds } from './kept-ends.ts';
import type { GateAnswer, GateCall, OpenApproval } from './messages.ts';

/** The time to hold an undecided call before the model is told to come back. Every client waits that long by default. */
const HOLD_MS = 40_000;
/** The longest hold for a client that says it waits. It ends before the approval does, so that the caller learns of it. */
const LONGEST_HOLD_MS = 540_000;
/** The time between two signs that a held call is still there. */
const BEAT_MS = 8_000;

type LetIn = Extract<GateAnswer, { kind: 'admitted' }>;
type Waiting = Extract<GateAnswer, { kind: 'ask' }>;

/** Asks the gate about a call as often as necessary, and brings in the owner and earlier calls. */
export async function decideAbout(
  prepared: PreparedCall,
  asked: GateCall,
  look: () => Promise<Looked>,
  ports: GateDoorPorts,
  { admits, ends }: { readonly admits: AdmitQueue; readonly ends: KeptEnds },
): Promise<LetIn | Result> {
  const earlier = earlierPorts(ports, ends);
  const asking = new Asking(prepared, asked, look, ports);
  for (;;) {
    const answer = await askOrHold(asking, admits);
    // A caller who left gets nothing, and nobody is to decide about their call any more.
    if (!asking.isAwaited() && answer.kind !== 'admitted') return asking.leave();
    if (answer.kind !== 'unsettled') return conclude(answer, prepared, ports, earlier);
    const known = await answerUnsettled(answer, prepared, earlier);
    if (known !== 'not_run') return known;
    // An earlier call that did not run must not block the same call now.
    asking.call = { ...asking.call, voidedUpTo: answer.seq };
  }
}

const CANCELLED: Refusal = { kind: 'failed', failure: doorFailure('cancelled') };

/** A call that asks the gate again and again until it gets a decision. */
class Asking {
  readonly prepared: PreparedCall;
  readonly ports: GateDoorPorts;
  readonly #look: () => Promise<Looked>;
  /** The approval that the call waits for. */
  #open: string | undefined;
  call: GateCall;

  constructor(prepared: PreparedCall, call: GateCall, look: () => Promise<Looked>, ports: GateDoorPorts) {
    this.prepared = prepared;
    this.call = call;
    this.#look = look;
    this.ports = ports;
  }

  /** Asks the gate. Makes a preview of the call first if the owner has to decide. */
  async ask(send: (call: GateCall) => Promise<GateAnswer>): Promise<GateAnswer | Refusal> {
    const answer = await send(this.call);
    if (answer.kind !== 'look') return this.#told(answer);
    const looked = await lookBefore(this.call, this.#look, this.ports);
    // A caller who left meanwhile waits for no answer, so do not ask the owner on their behalf.
    if (!this.isAwaited()) return CANCELLED;
    // Ask nobody about a call that would be refused anyway.
    if ('kind' in looked) return looked;
    this.call = looked;
    return this.#told(await send(looked));
  }

  /** Tells if the caller is still there. */
  isAwaited(): boolean {
    return !hasLeft(this.prepared.caller);
  }

  /** Withdraws the call of a caller who left. */
  async leave(): Promise<Refusal> {
    const { gate, later, report } = this.ports;
    const { callId } = this.call;
    if (this.#open === undefined) return CANCELLED;
    const left = gate()
      .leave(this.#open, callId)
      .catch((error) => report(error, 'leave'));
    // The request may end before the gate has heard of it.
    later(left);
    await left;
    return CANCELLED;
  }

  #told(answer: GateAnswer): GateAnswer {
    const { announce, later, report } = this.ports;
    this.#open = answer.kind === 'ask' ? answer.approval.id : undefined;
    if (answer.kind === 'ask' && answer.isNew)
      later(announce(answer.approval, this.prepared).catch((error) => report(error, 'announce')));
    return answer;
  }
}

/** Adds to the call what the owner has to see, or gives the failure that it would end with. */
export async function lookBefore(
  call: GateCall,
  look: () => Promise<Looked>,
  { report }: Pick<GateDoorPorts, 'report'>,
): Promise<GateCall | Refusal> {
  const looked = await lookOrNone(look, (error) => report(error, 'preview'));
  if (!('kind' in looked)) return { ...call, shown: { preview: looked } };
  return looked.kind === 'failed' ? looked : { ...call, shown: { why: looked.why } };
}

/** Gives the gate's decision. If the call needs a yes, asks through its client or holds it for a while. */
async function askOrHold(asking: Asking, admits: AdmitQueue): Promise<GateAnswer | Question | Refusal> {
  const answer = await asking.ask((call) => admits.admit(call));
  if (answer.kind !== 'ask') return answer;
  const { origin } = asking.ports;
  const { caller } = asking.prepared;
  // Many clients decline every question by themselves, so this is not the owner's no. It only says that nobody waits.
  if (asking.call.retryOf !== null && declined(caller.answers?.responses)) return answer;
  const question =
    origin === undefined ? undefined : askThroughClient(asking.prepared, answer.approval, origin);
  // Whoever was asked and is back waits like everybody else, and withdraws their call by leaving.
  if (asking.call.retryOf !== null) await keepOpen(answer.approval, asking.ports, -1);
  if (!question || caller.ask) return hold(asking, answer, question);
  // They come back for the decision, so another caller of the same call who leaves must not withdraw it.
  await keepOpen(answer.approval, asking.ports);
  return question;
}

/** Gives the time to hold a call. A silent MCP connection is soon taken for dead, so only signs of life prolong it. */
function holdTime({ waitsMs, via, progress, begun }: Caller): number {
  if (begun) return 0;
  if (waitsMs === undefined) return HOLD_MS;
  return Math.min(waitsMs, via === 'mcp' && !progress ? HOLD_MS : LONGEST_HOLD_MS);
}

/** Holds a call while the owner decides. Meanwhile a client that can do so leads its person to the owner's page. */
async function hold(asking: Asking, first: Waiting, question?: Question): Promise<GateAnswer | Refusal> {
  const { caller } = asking.prepared;
  const over = new AbortController();
  const signal = caller.signal ? AbortSignal.any([caller.signal, over.signal]) : over.signal;
  // The client's answer can end the hold, and nothing else: it is not the owner's.
  const asked = question && caller.ask?.(question.requests, signal);
  asked
    ?.then((responses) => declined(responses) && over.abort())
    .catch((error) => asking.ports.report(error, 'ask the client'));
  try {
    return await untilDecided(asking, first, signal);
  } finally {
    over.abort();
  }
}

/** Waits for the owner's decision, and tells the client now and then that its call is still held. */
async function untilDecided(
  asking: Asking,
  first: Waiting,
  signal: AbortSignal,
): Promise<GateAnswer | Refusal> {
  const { caller } = asking.prepared;
  const { gate, origin } = asking.ports;
  const holdMs = holdTime(caller);
  let answer: GateAnswer | Refusal = first;
  for (let waited = 0; waited < holdMs && answer.kind === 'ask' && !signal.aborted; waited += BEAT_MS) {
    const { approval } = answer;
    caller.progress?.({
      progress: waited,
      total: holdMs,
      message: `Waiting for the owner to decide about ${approval.code}${origin === undefined ? '' : `: ${pageOf(approval, origin)}`}`,
    });
    // The object may go away while we wait, and our stub with it. A new one finds everything as it was.
    const waiting = gate()
      .awaitDecision(approval.id, Math.min(BEAT_MS, holdMs - waited), asking.call.callId)
      .catch(() => undefined);
    await orUntilAborted(waiting, signal);
    // A caller who left meanwhile would only use up a yes that may have come.
    if (signal.aborted) break;
    answer = await asking.ask((call) => gate().admit(call, []));
  }
  return answer;
}

async function orUntilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

function conclude(
  answer: Exclude<GateAnswer, { kind: 'unsettled' }> | Question | Refusal,
  prepared: PreparedCall,
  ports: GateDoorPorts,
  earlier: EarlierPorts,
): LetIn | Question | Refusal | Promise<Result> {
  switch (answer.kind) {
    case 'needs_input':
    case 'failed':
    case 'admitted':
      return answer;
    case 'ask':
      return comeBack(answer.approval, ports);
    case 'look':
      throw new Error('The gate asked for a preview that it was given.');
    case 'refused':
      return refuse(answer, prepared.contract);
    case 'earlier':
      return answerEarlier(answer, prepared, earlier);
  }
}

function earlierPorts({ fate, report }: GateDoorPorts, ends: KeptEnds): EarlierPorts {
  return { ...(fate ? { fate } : {}), settle: (ending) => ends.write(ending), report };
}

/** Tells a caller to come back, and has the approval stay open for that. */
async function comeBack(approval: OpenApproval, ports: GateDoorPorts): Promise<Refusal> {
  await keepOpen(approval, ports);
  return stillUndecided(approval, ports.origin);
}

async function keepOpen(
  { id }: OpenApproval,
  { gate, report }: GateDoorPorts,
  more: 1 | -1 = 1,
): Promise<void> {
  await gate()
    .answered(id, more)
    .catch((error) => report(error, 'answered'));
}

function stillUndecided(approval: OpenApproval, origin: string | undefined): Refusal {
  const { code } = approval;
  const [place, ways] =
    origin === undefined
      ? ['on this computer', `with \`bowline approvals approve ${code} --local\` in a terminal here`]
      : [`at ${pageOf(approval, origin)}`, `there (or with \`bowline approvals approve ${code}\`)`];
  return {
    kind: 'failed',
    approval: approval.id,
    waiting: { code, ...(origin === undefined ? {} : { address: pageOf(approval, origin) }) },
    failure: doorFailure('approval_required', {
      message: `The owner has to approve this call first: ${code}, ${place}`,
      suggestion: `Ask the owner to decide about ${code} ${ways}, then call again with exactly the same arguments.`,
    }),
  };
}

/** Says no in the caller's terms. */
export function refuse(
  { code, retryAfterMs, note }: Extract<GateAnswer, { kind: 'refused' }>,
  { group }: Pick<AnyContract, 'group'>,
): Refusal {
  if (code === 'idempotency_conflict') {
    return { kind: 'failed', failure: failureOf(code, effectErrors.idempotency_conflict) };
  }
  return {
    kind: 'failed',
    failure: doorFailure(code, {
      ...(retryAfterMs === undefined ? {} : { retryAfter: retryAfterMs / 1000 }),
      ...(code === 'group_off'
        ? { message: `The owner has switched off the tools of the group \`${group}\`.` }
        : {}),
      ...(note === undefined ? {} : { message: `The owner said no to this call: “${visible(note)}”` }),
    }),
  };
}
