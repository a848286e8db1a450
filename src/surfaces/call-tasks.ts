import type { AnyContract } from '../../contracts/contract.ts';
import type { Caller, Refusal, Result, Success } from '../core/call.ts';
import { isWithin } from '../core/clock.ts';
import { doorFailure } from '../core/failure.ts';
import { presented } from '../core/invoke.ts';
import type { Tool } from '../core/tools.ts';
import { refuse } from '../gate/decide-about.ts';
import { pageOf } from '../gate/elicitation.ts';
import type { Followed } from '../gate/followed-call.ts';
import { endIfShutOut, inputOf } from '../gate/run-late.ts';
import { endedWith } from '../machines/answer.ts';
import type { Machines, OutcomeKept } from '../machines/reach.ts';
import { type FollowedBy, taskIdsSignedWith } from './task-ids.ts';
import { TASK_KEPT_MS, type TaskBegun, type TaskPort, type TaskState } from './tasks.ts';

/** A call that runs longer than this becomes a task. */
const SOON_MS = 1_500;
/** The time for a call to reach its machine's object, and for its end to reach the ledger. */
const ON_ITS_WAY_MS = 10_000;

/** The parts that it takes to follow calls. */
export interface TaskPorts {
  gate(): {
    followed(id: string, principal: string): Promise<Followed | null>;
    withdraw(id: string, by: string): Promise<void>;
  };
  readonly machines: Pick<Machines, 'outcome' | 'cancel'>;
  find(tool: string): Promise<Tool | undefined>;
  isLetIn(principal: string): Promise<boolean>;
  /** The gateway's origin, where approvals have their pages. */
  readonly origin: string;
  /** The key that signs the names of tasks. */
  readonly key: string;
  /** Keeps work running after the answer has left. */
  later(work: Promise<unknown>): void;
}

type Ran = Result | { readonly kind: 'running'; readonly callId: string };
type Ended = Success | Refusal;
/** What a task says of itself at one moment, without its times. */
type Standing =
  | { readonly status: 'working'; readonly message?: string }
  | { readonly status: 'cancelled' }
  | { readonly status: 'completed'; readonly result: Ended };

/**
 * Makes tasks of calls that wait for the owner or run long on a machine. Nothing is kept for a task: the gate knows the
 * approval and the run, and the machine's object knows the outcome, which `get_call` reads as well.
 */
export function callTasks(ports: TaskPorts): TaskPort {
  const ids = taskIdsSignedWith(ports.key);
  const own = (taskId: string, { principal }: Caller): FollowedBy | undefined => {
    const followed = ids.read(principal, taskId);
    return followed && isWithin(TASK_KEPT_MS, followed.createdAt, Date.now()) ? followed : undefined;
  };
  return {
    async run(tool, args, caller) {
      // Nothing keeps the answer of a read, and whoever waits for it can make it again.
      if (tool.contract.risk === 'read_only') return tool.call(args, caller);
      const ran = await begin(tool, args, caller, ports);
      const task = (kind: FollowedBy['kind'], id: string, message: string): TaskBegun => {
        const createdAt = Date.now();
        const taskId = ids.name(caller.principal, { kind, id, createdAt });
        return {
          kind: 'task',
          taskId,
          state: { status: 'working', message, createdAt, updatedAt: createdAt },
        };
      };
      if (ran.kind === 'running') return task('call', ran.callId, runs(ran.callId));
      if (ran.kind !== 'failed') return ran;
      const { approval, failure } = ran;
      if (approval !== undefined) return task('approval', approval, failure.message);
      const { code, call_id: callId } = failure;
      return code === 'still_running' && callId !== undefined ? task('call', callId, runs(callId)) : ran;
    },
    async get(taskId, caller) {
      const followed = own(taskId, caller);
      if (!followed) return undefined;
      return followed.kind === 'call'
        ? callState(followed, caller, ports)
        : approvalState(followed, caller, ports);
    },
    // These tasks ask nothing, so every answer is one to ignore.
    answer: async (taskId, _, caller) => own(taskId, caller) !== undefined,
    async cancel(taskId, caller) {
      const followed = own(taskId, caller);
      if (!followed) return false;
      const { id, kind } = followed;
      const { principal } = caller;
      if (kind === 'approval') await ports.gate().withdraw(id, principal);
      // The yes may have come first. Then the call has an id of its own.
      const callId = kind === 'call' ? id : (await ports.gate().followed(id, principal))?.ran?.id;
      if (callId !== undefined) await ports.machines.cancel(callId, principal);
      return true;
    },
  };
}

/** Runs a call until it ends, or until a machine has had it for a while. */
async function begin(tool: Tool, args: unknown, caller: Caller, ports: TaskPorts): Promise<Ran> {
  const over = new AbortController();
  const leave = () => over.abort();
  caller.signal?.addEventListener('abort', leave, { once: true });
  if (caller.signal?.aborted) leave();
  const taken = Promise.withResolvers<string>();
  const run = tool.call(args, { ...caller, signal: over.signal, begun: taken.resolve });
  ports.later(run);
  ports.later(endIfShutOut(run, () => ports.isLetIn(caller.principal), over));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const running = taken.promise.then(
    (callId) =>
      new Promise<Ran>((resolve) => {
        timer = setTimeout(() => resolve({ kind: 'running', callId }), SOON_MS);
      }),
  );
  try {
    return await Promise.race([run, running]);
  } finally {
    clearTimeout(timer);
    // Whoever has the task may leave. From here on it ends by its own name.
    caller.signal?.removeEventListener('abort', leave);
  }
}

/** Gives the state of a call that a machine has. */
async function callState(
  { id, createdAt }: FollowedBy,
  caller: Caller,
  ports: TaskPorts,
): Promise<TaskState> {
  const kept = await ports.machines.outcome(id, caller.principal);
  const updatedAt = kept?.finishedAt ?? createdAt;
  if (kept) return { ...(await keptStanding(id, kept, caller, ports)), createdAt, updatedAt };
  const isYoung = isWithin(ON_ITS_WAY_MS, createdAt, Date.now());
  return { ...(isYoung ? { status: 'working', message: runs(id) } : lost(id)), createdAt, updatedAt };
}

/** Gives the state of a call that waits for a yes, and runs it once that was given. */
async function approvalState(
  { id, createdAt }: FollowedBy,
  caller: Caller,
  ports: TaskPorts,
): Promise<TaskState | undefined> {
  const followed = await ports.gate().followed(id, caller.principal);
  if (!followed) return undefined;
  const standing = await approvalStanding(id, followed, caller, ports);
  return { ...standing, createdAt, updatedAt: Math.max(createdAt, followed.changedAt) };
}

async function approvalStanding(
  id: string,
  { state, code, tool, note, call, ran }: Followed,
  caller: Caller,
  ports: TaskPorts,
): Promise<Standing> {
  switch (state) {
    case 'pending':
      return {
        status: 'working',
        message: `Waiting for the owner to decide about ${code}: ${pageOf({ code }, ports.origin)}`,
      };
    case 'withdrawn':
      return { status: 'cancelled' };
    case 'denied':
    case 'expired': {
      const said = note === null ? {} : { note };
      return completed(refuse({ kind: 'refused', code: `approval_${state}`, ...said }, {}));
    }
    case 'consumed':
      return ran ? ranStanding(ran, tool, caller, ports) : { status: 'working' };
    case 'approved': {
      const found = await ports.find(tool);
      if (!found || !call)
        return completed(failed('unknown_tool', `There is no tool called ${tool} any more.`));
      // Whoever asks about a task may leave, and the call goes on.
      const { signal: _, progress: __, log: ___, ...asking } = caller;
      const again = { ...asking, answers: { responses: {}, state: id } };
      return begunStanding(await begin(found, inputOf(call, found), again, ports));
    }
  }
}

/** These say that the call runs, and that its end is still to come. */
const RUNNING = new Set(['approval_required', 'still_running', 'call_in_progress']);

function begunStanding(ran: Ran): Standing {
  if (ran.kind === 'running') return { status: 'working', message: runs(ran.callId) };
  if (ran.kind === 'needs_input') return { status: 'working' };
  if (ran.kind !== 'failed') return completed(ran);
  const { code, message } = ran.failure;
  // The yes is still unused, so a later look may run the call. A task that has ended must not.
  if (code === 'rate_limited') return { status: 'working', message };
  return RUNNING.has(code) ? { status: 'working' } : completed(ran);
}

/** Gives the state of a call that a yes let run. */
async function ranStanding(
  { id, at, outcome, result }: NonNullable<Followed['ran']>,
  tool: string,
  caller: Caller,
  ports: TaskPorts,
): Promise<Standing> {
  const kept = await ports.machines.outcome(id, caller.principal);
  if (kept) return keptStanding(id, kept, caller, ports);
  const contract = (await ports.find(tool))?.contract;
  if (outcome === null) {
    const time = (contract?.limits.timeoutMs ?? 0) + ON_ITS_WAY_MS;
    return isWithin(time, at, Date.now()) ? { status: 'working', message: runs(id) } : lost(id);
  }
  if (result === null) {
    const about = `Call ${id} ${outcome === 'ok' ? 'was carried out' : 'failed'}, and its answer is not kept.`;
    return completed(failed('duplicate_call', about));
  }
  return outcome === 'ok'
    ? completed(shown(contract, { kind: 'ok', output: JSON.parse(result) }, caller))
    : completed({ kind: 'failed', failure: JSON.parse(result) });
}

/** Gives the state of a call by what its machine's object keeps. */
async function keptStanding(
  id: string,
  kept: OutcomeKept,
  caller: Caller,
  { find }: Pick<TaskPorts, 'find'>,
): Promise<Standing> {
  switch (kept.state) {
    case 'open': {
      const away = kept.awaySince === null ? '' : ` ${kept.machine} is not connected at the moment.`;
      return { status: 'working', message: `${runs(id)}${away}` };
    }
    case 'unknown':
      return lost(id);
    case 'not_run':
      return { status: 'cancelled' };
  }
  const contract = (await find(kept.tool))?.contract;
  if (!contract) return lost(id);
  const ended = endedWith(contract, kept.text ?? '');
  return completed(ended.kind === 'ok' ? shown(contract, ended, caller) : ended);
}

function shown(contract: AnyContract | undefined, result: Success, caller: Caller): Ended {
  const fits = contract ? presented(contract, result, caller) : result;
  return fits.kind === 'needs_input' ? result : fits;
}

/** Ends a task with its result. A call that its caller cancelled has none. */
function completed(result: Ended): Standing {
  const isCancelled = result.kind === 'failed' && result.failure.code === 'cancelled';
  return isCancelled ? { status: 'cancelled' } : { status: 'completed', result };
}

function runs(callId: string): string {
  return `The call runs (${callId}).`;
}

function lost(callId: string): Standing {
  return completed(failed('outcome_unknown', `Nobody knows how call ${callId} ended, or whether it ran.`));
}

function failed(code: Parameters<typeof doorFailure>[0], message: string): Refusal {
  return { kind: 'failed', failure: doorFailure(code, { message }) };
}
