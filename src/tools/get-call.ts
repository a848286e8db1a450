import type { getCall } from '../../contracts/calls.ts';
import { catalogue } from '../../contracts/index.ts';
import { doorFailure, type Failure } from '../core/failure.ts';
import type { Handler } from '../core/handler.ts';
import { isRecord } from '../core/is-record.ts';
import { endedWith } from '../machines/answer.ts';
import type { MachinesPort } from '../machines/reach.ts';

/** The JSON length of a result's long text in one answer. It leaves room within what a client takes. */
const PAGE_CHARS = 100_000;
/** Room for what the answer puts around a result. */
const AROUND_CHARS = 2_000;
/** The shortest page. However little a client takes, a page must advance. */
const LEAST_CHARS = 100;

/** Looks up what became of a call on the machine that ran it. */
export const getCallOutcome: Handler<typeof getCall, MachinesPort> = async (
  { call_id, offset },
  call,
  { machines },
) => {
  const kept = await machines.outcome(call_id, call.caller.principal);
  if (!kept) return call.fail('call_not_found');
  const contract = Object.values(catalogue).find(({ wireName }) => wireName === kept.tool);
  const base = {
    call_id,
    tool: kept.tool,
    started_at: new Date(kept.startedAt).toISOString(),
    finished_at: kept.finishedAt === null ? null : new Date(kept.finishedAt).toISOString(),
    result: null,
    next_offset: null,
    error: null,
  };
  switch (kept.state) {
    case 'open':
      return call.ok({ ...base, state: 'running' });
    case 'unknown':
      return call.ok({
        ...base,
        state: 'unknown',
        finished_at: null,
        error: errorOf(doorFailure('outcome_unknown')),
      });
    case 'not_run':
      return call.ok({ ...base, state: 'failed', error: errorOf(doorFailure('cancelled')) });
  }
  const ended = contract && endedWith(contract, kept.text ?? '');
  if (ended?.kind !== 'ok' || !isRecord(ended.output)) {
    const failure = ended?.kind === 'failed' ? ended.failure : doorFailure('malformed_output');
    return call.ok({ ...base, state: 'failed', error: errorOf(failure) });
  }
  const shown = page(ended.output, contract?.cut?.fields[0], offset, call.caller.maxResultChars);
  const texts = contract?.cut?.fields.map((field) => `result.${field}`) ?? [];
  return call.ok({ ...base, state: 'done', ...shown }, { texts });
};

/** Gives a result with as much of its long text as one answer holds. */
function page(
  result: Record<string, unknown>,
  field: string | undefined,
  offset: number,
  maxChars = Number.POSITIVE_INFINITY,
) {
  const text = field === undefined ? undefined : result[field];
  if (field === undefined || typeof text !== 'string') return { result, next_offset: null };
  const others = JSON.stringify({ ...result, [field]: '' }).length + AROUND_CHARS;
  const end = pageEnd(text, offset, Math.max(LEAST_CHARS, Math.min(PAGE_CHARS, maxChars - others)));
  const part = text.slice(offset, end).toWellFormed();
  return { result: { ...result, [field]: part }, next_offset: end < text.length ? end : null };
}

/** Finds a page's end by its length as JSON, in which a line end or a colour takes more than itself. */
function pageEnd(text: string, offset: number, room: number): number {
  let [fits, most] = [offset, Math.min(text.length, offset + room)];
  while (fits < most) {
    const end = Math.ceil((fits + most) / 2);
    if (JSON.stringify(text.slice(offset, end)).length <= room) fits = end;
    else most = end - 1;
  }
  // No page ends inside a character: half of one takes more JSON than the whole, so it would not fit.
  return fits;
}

function errorOf({ call_id: _, raw: __, ...error }: Failure) {
  return error;
}
