import { LINK } from '../../../contracts/link.ts';
import { encodePiece } from '../../../src/core/link-pieces.ts';
import type { Body } from './journal.ts';

interface Sending {
  readonly ok: boolean;
  readonly body: Body;
  sent: number;
  upto: number;
}

/** Sends results in pieces. Each goes as far as its reader allows, and all together as far as the socket allows. */
export class Outbox {
  readonly #send: (frame: Uint8Array) => void;
  readonly #sending = new Map<number, Sending>();

  constructor(send: (frame: Uint8Array) => void) {
    this.#send = send;
  }

  get size(): number {
    return this.#sending.size;
  }

  add(n: number, ok: boolean, body: Body): void {
    this.#sending.set(n, { ok, body, sent: 0, upto: LINK.callCredit });
    this.#pump();
  }

  credit(n: number, upto: number): void {
    const sending = this.#sending.get(n);
    if (!sending || upto <= sending.upto) return;
    sending.upto = upto;
    this.#pump();
  }

  drop(n: number): void {
    // Its unread bytes no longer count, so others may continue.
    if (this.#sending.delete(n)) this.#pump();
  }

  clear(): void {
    this.#sending.clear();
  }

  #pump(): void {
    let free = LINK.socketCredit - this.#ahead();
    for (let went = true; went; ) {
      went = false;
      // Send a piece of each in turn, so that a long result does not delay a short one.
      for (const [n, sending] of this.#sending) {
        const { body, ok, sent, upto } = sending;
        const to = Math.min(body.length, upto, sent + LINK.piece, sent + free);
        if (to <= sent) continue;
        this.#send(encodePiece({ n, isOk: ok, at: sent, total: body.length, bytes: body.slice(sent, to) }));
        sending.sent = to;
        free -= to - sent;
        went = true;
        if (to === body.length) this.#sending.delete(n);
      }
    }
  }

  /** Counts the sent bytes that nobody has taken yet. */
  #ahead(): number {
    let ahead = 0;
    for (const { sent, upto } of this.#sending.values())
      ahead += Math.max(0, sent - (upto - LINK.callCredit));
    return ahead;
  }
}
