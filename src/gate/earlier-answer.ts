import type { Refusal, Result, Success } from '../core/call.ts';
import { isWithin } from '../core/clock.ts';
import { doorFailure, type FailureDetail } from '../core/failure.ts';
import type { EarlierCall, Fate } from '../core/fate.ts';
import type { PreparedCall } from '../core/prepared-call.ts';
import { endOf } from './gate-call.ts';
import type { EarlierAnswer, GateEnd, UnsettledAnswer } from './messages.ts';

/** The questions that the door asks to tell a repeat how the first call ended. */
export interface EarlierPorts {
  /**
   * Asks the machine that was to run a call how it ended. If left out, or without an answer, nobody knows.
   */
  fate?(call: PreparedCall, earlier: EarlierCall): Promise<Fate | undefined>;
  /** Closes the row of a call whose end nobody recorded. */
  settle(ending: { readonly seq: number; readonly end: GateEnd }): Promise<void>;
  report(error: unknown, where: string): void;
}

/** The time after a tool's own limit in which its end may still be recorded. */
const GRACE_MS = 5_000;

/** Answers a repeat of a call whose outcome is in the ledger. */
export async function answerEarlier(
  earlier: EarlierAnswer,
  call: PreparedCall,
  ports: EarlierPorts,
): Promise<Result> {
  const { callId, outcome, result } = earlier;
  // This side wrote that text when the call ended, so it needs no check.
  if (result !== null && outcome === 'ok')
    return replayed({ kind: 'ok', output: JSON.parse(result) }, callId);
  if (result !== null) return replayed({ kind: 'failed', failure: JSON.parse(result) }, callId);
  const fate = await fateOf(earlier, call, ports);
  if (fate?.kind === 'ended') return replayed(fate.result, callId);
  return about('duplicate_call', callId);
}

/** Answers a repeat of a call whose outcome is not in the ledger. Gives `not_run` if it may run after all. */
export async function answerUnsettled(
  earlier: UnsettledAnswer,
  call: PreparedCall,
  ports: EarlierPorts,
): Promise<Result | 'not_run'> {
  const { seq, callId, at, code } = earlier;
  const fate = await fateOf(earlier, call, ports);
  switch (fate?.kind) {
    case 'ended': {
      const end = { ...endOf(call.contract, fate.result), ...(fate.at === null ? {} : { at: fate.at }) };
      // What happened is told also while it cannot be recorded.
      if (code === null)
        await ports.settle({ seq, end }).catch((error) => ports.report(error, 'earlier call'));
      return replayed(fate.result, callId);
    }
    case 'running':
      return about('call_in_progress', callId, fate.detail);
    case 'unknown':
      return about('outcome_unknown', callId, fate.detail);
    case 'not_run':
      return 'not_run';
  }
  // Nobody can be asked. The call may still run until its tool's time limit, but no longer.
  const now = Date.now();
  if (code !== null || !isWithin(call.contract.limits.timeoutMs + GRACE_MS, at, now))
    return about('outcome_unknown', callId);
  if (isWithin(GRACE_MS, at, now)) return about('call_in_progress', callId);
  const seconds = Math.max(1, Math.round((now - at) / 1_000));
  return about('outcome_unknown', callId, {
    message: `The same call began ${seconds} s ago, and its end is not recorded: it still runs, or it was cut off (call ${callId}).`,
    suggestion:
      'Later, send it again under the same idempotency key, or look at what it was to change. Until then, do not send it in another way.',
  });
}

async function fateOf(
  earlier: EarlierCall,
  call: PreparedCall,
  ports: EarlierPorts,
): Promise<Fate | undefined> {
  try {
    return await ports.fate?.(call, { callId: earlier.callId, at: earlier.at });
  } catch (error) {
    ports.report(error, 'earlier call');
    return undefined;
  }
}

/** Gives the id of the call whose outcome a result repeats. */
export function replayedIn(result: Result): string | undefined {
  if (result.kind === 'failed') return result.failure.replayed ? result.failure.call_id : undefined;
  const id = result.kind === 'ok' ? result.meta?.replayed_call : undefined;
  return typeof id === 'string' ? id : undefined;
}

function replayed(result: Success | Refusal, callId: string): Result {
  if (result.kind === 'failed')
    return { kind: 'failed', failure: { ...result.failure, call_id: callId, replayed: true } };
  const { output } = result;
  return {
    kind: 'ok',
    output: typeof output === 'object' && output !== null ? { ...output, replayed: true } : output,
    meta: { replayed_call: callId },
  };
}

function about(
  code: 'duplicate_call' | 'call_in_progress' | 'outcome_unknown',
  callId: string,
  detail?: FailureDetail,
): Refusal {
  return { kind: 'failed', failure: { ...doorFailure(code, detail), call_id: callId } };
}
