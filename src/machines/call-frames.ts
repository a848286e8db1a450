import {
  type FromGateway,
  type FromMachine,
  LINK,
  REASONS_SINCE,
  type Welcome,
} from '../../contracts/link.ts';
import type { Progress } from '../core/call.ts';
import { encodePiece } from '../core/link-pieces.ts';
import type { CallRow } from './call-rows.ts';
import * as rows from './call-rows.ts';
import type { CallAnswer, LinkSocket, LinkSql, MachineCall } from './link-ports.ts';
import { protocolOf } from './machine-row.ts';

/** Sends a call. Its text goes in the same frame, or in pieces after it. */
export function sendCall(
  sql: LinkSql,
  socket: LinkSocket | undefined,
  { text, timeoutMs: _, reason, ...told }: MachineCall,
  n: number,
): void {
  // A bridge of an older version refuses a frame with a field that it does not know.
  const takesReason = reason !== undefined && protocolOf(sql) >= REASONS_SINCE;
  const call = takesReason ? { ...told, reason } : told;
  const tell = (frame: FromGateway) => socket?.send(JSON.stringify(frame));
  if (text.length <= LINK.inlineText) {
    tell({ type: 'call', n, ...call, text });
    return;
  }
  const bytes = new TextEncoder().encode(text);
  tell({ type: 'call', n, ...call, bytes: bytes.length });
  for (let at = 0; at < bytes.length; at += LINK.piece) {
    const piece = bytes.subarray(at, at + LINK.piece);
    socket?.send(encodePiece({ n, isOk: true, at, total: bytes.length, bytes: piece }));
  }
}

/** Gives the answer of a kept call; `undefined` while the call is open. */
export function answerOf(
  sql: LinkSql,
  { id, state }: CallRow,
  why: Extract<CallAnswer, { kind: 'not_run' }>['why'] = 'asked',
): CallAnswer | undefined {
  if (state === 'open') return undefined;
  if (state === 'unknown') return { kind: 'unknown' };
  if (state === 'not_run') return { kind: 'not_run', why };
  const total = rows.lengthOf(sql, id, 'result');
  const isOk = state === 'done';
  return total > LINK.inline
    ? { kind: 'stored', isOk, total }
    : { kind: 'result', isOk, body: rows.wholeOf(sql, id, 'result') };
}

/** Gives a stored call as it was first sent. */
export function storedCall(sql: LinkSql, row: CallRow): MachineCall {
  const { id, tool, principal, client, digest, seen, reason } = row;
  const text = rows.textOfCall(sql, id);
  return {
    ...{ id, tool, principal, client, digest, text, effect: true, timeoutMs: 0 },
    ...(seen === null ? {} : { seen }),
    ...(reason === null ? {} : { reason }),
  };
}

/** Makes the last message of the greeting. */
export function welcome(epoch: number, protocol: number): Welcome {
  const { frame, running, callCredit, socketCredit } = LINK;
  const limits = { frame, running, call_credit: callCredit, socket_credit: socketCredit };
  return { type: 'welcome', protocol, epoch, limits };
}

export function updateOf({ progress, total, message }: Extract<FromMachine, { type: 'progress' }>): Progress {
  return { progress, ...(total === undefined ? {} : { total }), ...(message ? { message } : {}) };
}
