import { setTimeout as wait } from 'node:timers/promises';
import type { Way } from './clients.ts';
import { type Attempt, type CallRecord, type Effect, isKnownNotRun, type Told } from './history.ts';

/** A call that a client wants made, and what it will know it by. */
export interface Wanted {
  readonly tool: string;
  readonly input: object;
  readonly token?: string;
  readonly effect?: Effect;
  /** Calls that change something carry a key, so that sending them again is safe. */
  readonly key?: string;
  readonly isRefused?: boolean;
  /** The client goes away after so long, and does not ask again. */
  readonly leavesAfterMs?: number;
}

/** How long a client goes on trying, and how long it waits for one answer. */
const TRIES_FOR_MS = 20_000;
const ANSWER_MS = 30_000;
const IN_PROGRESS_MS = 5_000;
const FIRST_PAUSE_MS = 150;
const LONGEST_PAUSE_MS = 2_000;

/** Answers after which the same call may be sent again, for nobody has said how it ended. */
const OPEN = new Set(['call_in_progress', 'internal_error', 'cancelled', 'timeout']);
/** Refusals that pass. Some of them are kept under the key, so the call goes out under a new one. */
const PASSING = new Set([
  'machine_offline',
  'rate_limited',
  'too_many_pending',
  'too_many_of_yours',
  'approval_required',
  'approval_expired',
  'changed_since_approval',
  'not_at_prompt',
  'too_many_sessions',
]);

/** Sends a call as a good client does: again under the same key when nothing is known, under another when nothing ran. */
export async function send(way: Way, wanted: Wanted, isOver: () => boolean): Promise<CallRecord> {
  const { tool, input, token, effect, isRefused = false, leavesAfterMs } = wanted;
  const attempts: Attempt[] = [];
  const until = Date.now() + TRIES_FOR_MS;
  for (let pause = FIRST_PAUSE_MS, turn = 0; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const key = wanted.key === undefined ? undefined : `${wanted.key}.${turn}`;
    const at = Date.now();
    const signal = AbortSignal.timeout(leavesAfterMs ?? ANSWER_MS);
    const args = key === undefined ? input : { ...input, idempotency_key: key };
    let told = await way.call(tool, args, signal);
    if (told.is === 'failed' && told.code === 'still_running' && told.callId !== undefined)
      told = await outcomeOf(way, told.callId, until);
    attempts.push({ at, until: Date.now(), ...(key === undefined ? {} : { key }), told });
    if (
      leavesAfterMs !== undefined ||
      !isWorthAnother(told) ||
      Date.now() > giveUpAt(attempts, until, isOver())
    )
      break;
    if (isKnownNotRun(told)) turn += 1;
    await wait(pause);
  }
  return {
    ...{ tool, way: way.name, isRefused, attempts },
    ...(token === undefined ? {} : { token }),
    ...(effect === undefined ? {} : { effect }),
  };
}

/** A call that runs long may be in progress for minutes; nobody waits for that here. */
function giveUpAt(attempts: readonly Attempt[], until: number, isOver: boolean): number {
  const since = attempts.find(({ told }) => told.is === 'failed' && told.code === 'call_in_progress')?.at;
  const patient = since === undefined ? until : Math.min(until, since + IN_PROGRESS_MS);
  return isOver ? Math.min(patient, (attempts[0]?.at ?? 0) + IN_PROGRESS_MS) : patient;
}

function isWorthAnother(told: Told): boolean {
  return told.is === 'lost' || (told.is === 'failed' && (OPEN.has(told.code) || PASSING.has(told.code)));
}

/** Asks for the outcome of a call that outlived its answer. */
async function outcomeOf(way: Way, callId: string, until: number): Promise<Told> {
  for (;;) {
    const told = await way.call('get_call', { call_id: callId }, AbortSignal.timeout(ANSWER_MS));
    const { state, result, error } = told.is === 'ok' ? told.output : {};
    if (state === 'done') return { is: 'ok', output: result as Record<string, unknown> };
    if (state === 'failed') return { is: 'failed', code: (error as { code: string }).code, callId };
    if (state === 'unknown' || Date.now() > until) return { is: 'failed', code: 'outcome_unknown', callId };
    await wait(LONGEST_PAUSE_MS / 4);
  }
}
