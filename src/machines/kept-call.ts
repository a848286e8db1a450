import { LINK } from '../../contracts/link.ts';
import * as rows from './call-rows.ts';
import type { Incoming } from './incoming.ts';
import type { CallAnswer, LinkSql } from './link-ports.ts';
import { offlineSince } from './machine-row.ts';

/** A call's answer on its way from the object to the caller. */
export type PortableAnswer =
  | Exclude<CallAnswer, { kind: 'stream' | 'stored' }>
  | { readonly kind: 'stream'; readonly isOk: boolean; readonly stream: ReadableStream<Uint8Array> };

/** A call as the object keeps it. */
interface KeptCall {
  readonly tool: string;
  readonly state: rows.CallState;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  /** The time since which the machine is away; `null` if it is connected. */
  readonly awaySince: number | null;
  readonly stream: ReadableStream<Uint8Array> | null;
}

export function portable(sql: LinkSql, id: string, answer: CallAnswer): PortableAnswer {
  if (answer.kind === 'stream') {
    return { kind: 'stream', isOk: answer.isOk, stream: streamOf(answer.incoming) };
  }
  if (answer.kind === 'stored') return { kind: 'stream', isOk: answer.isOk, stream: storedStream(sql, id) };
  return answer;
}

export function keptCall(
  sql: LinkSql,
  id: string,
  principal: string,
  { isOnline, now }: { readonly isOnline: boolean; readonly now: number },
): KeptCall | null {
  const row = rows.callById(sql, id);
  // Somebody else's call answers like none, so that ids tell nothing.
  if (row?.principal !== principal) return null;
  // The row may stay a little longer than the promised time.
  if (row.finished_at !== null && now - row.finished_at > LINK.keptMs) return null;
  const hasResult = row.state === 'done' || row.state === 'failed';
  return {
    tool: row.tool,
    state: row.state,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    awaySince: isOnline ? null : (offlineSince(sql) ?? row.started_at),
    stream: hasResult ? storedStream(sql, id) : null,
  };
}

/** A call as its caller follows it while it runs. */
export interface RunningCall {
  readonly id: string;
  readonly state: rows.CallState;
  readonly startedAt: number;
  /** What it said last, as long as it runs. */
  readonly said: string | null;
}

/** Finds a call that changes something, by its id, or an open one by its digest: the newest of that caller's. */
export function runningCall(
  sql: LinkSql,
  by: { readonly id: string } | { readonly digest: string },
  principal: string,
  saidBy: (id: string) => string | undefined,
): RunningCall | null {
  const row =
    'id' in by
      ? rows.callById(sql, by.id)
      : rows.openCalls(sql).findLast((one) => one.digest === by.digest && one.principal === principal);
  // Somebody else's call answers like none.
  if (row?.principal !== principal) return null;
  const { id, state, started_at: startedAt } = row;
  return { id, state, startedAt, said: (state === 'open' && saidBy(id)) || null };
}

/** Streams a result as it comes in, no faster than it is read. */
function streamOf(incoming: Incoming): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        const look = () => {
          const next = incoming.take();
          if (next === 'wait') return incoming.onChange(look);
          incoming.onChange(() => undefined);
          if (next === 'end') controller.close();
          else if (next === 'lost') controller.error(new Error('The machine went away.'));
          else controller.enqueue(next);
          resolve();
        };
        look();
        return promise;
      },
    },
    { highWaterMark: 0 },
  );
}

/** Streams a stored result, one piece at a time. */
function storedStream(sql: LinkSql, id: string): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const piece = at <= LINK.result ? rows.pieceAt(sql, id, 'result', at) : undefined;
        if (!piece) return controller.close();
        at += piece.length;
        controller.enqueue(piece);
      },
    },
    { highWaterMark: 0 },
  );
}
