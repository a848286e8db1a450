import type { FromGateway, FromMachine } from '../../contracts/link.ts';
import { CLOSE, fromMachine, LINK } from '../../contracts/link.ts';
import { isWithin } from '../core/clock.ts';
import { decodePiece, type Piece } from '../core/link-pieces.ts';
import { decodeFrame } from '../core/link-text.ts';
import { Begun } from './begun.ts';
import { answerOf, sendCall, storedCall, welcome } from './call-frames.ts';
import { CallNumbers } from './call-numbers.ts';
import type { CallRow } from './call-rows.ts';
import * as rows from './call-rows.ts';
import { Flights } from './flights.ts';
import { letIn } from './let-in.ts';
import type { Arrival, CallAnswer, Heard, LinkPorts, LinkSocket, MachineCall } from './link-ports.ts';
import * as machine from './machine-row.ts';
import { type Probed, Probes } from './probes.ts';
import { JUST_GONE_MS, RETURN_MS, Returning, STORES_MS } from './returning.ts';

/** The time for which a running read waits for the machine to come back. */
const READ_WAITS_MS = 15_000;
const MAX_FLIGHTS = 256;

/**
 * The gateway's half of the link: the calls it sent, the results that came back, the calls it may still send. What it
 * must know it stores: the row of a call with an effect before it sends the call.
 */
export class GatewayLink {
  readonly #ports: LinkPorts;
  readonly #flights: Flights;
  #socket: LinkSocket | undefined;
  readonly #returning: Returning;
  readonly #probes = new Probes();
  readonly begun = new Begun();
  readonly #numbers: CallNumbers;

  constructor(ports: LinkPorts) {
    this.#ports = ports;
    this.#flights = new Flights(ports);
    this.#returning = new Returning(ports.after);
    this.#numbers = new CallNumbers(ports.sockets());
    const epoch = machine.epochOf(ports.sql);
    this.#socket = ports.sockets().find((socket) => socket.epoch === epoch && epoch > 0);
  }

  get socket(): LinkSocket | undefined {
    return this.#socket;
  }

  /** Takes a proven connection as the machine's only one. Gives `false` if it is a copy's. */
  join(socket: LinkSocket, arrival: Arrival): boolean {
    const { sql, sockets } = this.#ports;
    const epoch = letIn(this.#ports, arrival, this.#socket !== undefined);
    if (epoch === undefined) return false;
    const older = sockets().filter((other) => other !== socket && other.epoch > 0);
    socket.adopt(epoch);
    this.#socket = socket;
    for (const other of older) other.close(CLOSE.replaced, 'connected again');
    this.#send(welcome(epoch, arrival.protocol));
    for (const { call } of this.#flights.effects()) this.#answerKept(call.id);
    for (const flight of this.#flights.reads()) {
      this.#flights.number(flight, this.#number());
      sendCall(sql, socket, flight.call, flight.n);
    }
    if (machine.isConfirmed(sql)) this.#goOn();
    return true;
  }

  /**
   * Sends the calls that change something, once the machine has stored this connection. Earlier, another copy of the
   * machine could get the same calls over the next connection, and nobody would notice.
   */
  #goOn(held?: readonly string[]) {
    for (const row of rows.openCalls(this.#ports.sql)) this.#sendAgain(row, held);
    this.#returning.isBack();
  }

  closed(socket: LinkSocket) {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    const { sql, now } = this.#ports;
    machine.left(sql, now());
    this.#flights.disconnected(READ_WAITS_MS, () => !this.#socket && this.#offline());
  }

  /** Ends everything that is open on a machine that was shut out. Nobody will know what its calls changed. */
  shutOut() {
    for (const row of rows.openCalls(this.#ports.sql)) this.#finish(row.id, 'unknown');
    for (const flight of this.#flights.reads()) this.#flights.answer(flight, { kind: 'revoked' });
  }

  /** Runs a call on the machine, or says at once that it cannot. */
  call(call: MachineCall, heard: Heard) {
    const { sql } = this.#ports;
    const known = call.effect ? rows.callById(sql, call.id) : undefined;
    if (known) return this.#joinKnown(known, call, heard);
    if (this.#flights.size + this.#returning.size >= MAX_FLIGHTS)
      return heard.answer({ kind: 'not_run', why: 'busy' });
    if (this.#takes(call)) return this.#launch(call, heard);
    const since = machine.offlineSince(sql);
    if (this.#socket === undefined && (since === null || !isWithin(JUST_GONE_MS, since, this.#ports.now())))
      return heard.answer(this.#offline());
    this.#waitFor(call, heard, this.#socket ? STORES_MS : RETURN_MS);
  }

  #waitFor(call: MachineCall, heard: Heard, ms: number) {
    this.#returning.wait(call.id, ms, (isWanted) => {
      if (!isWanted) heard.answer({ kind: 'not_run', why: 'asked' });
      else if (this.#takes(call)) this.#launch(call, heard);
      else if (!this.#socket) heard.answer(this.#offline());
      else if (ms === STORES_MS) heard.answer({ kind: 'not_run', why: 'disk' });
      else this.#waitFor(call, heard, STORES_MS);
    });
  }

  /** Cancels a call for its caller. A call that has begun still gets an outcome. */
  cancel(id: string) {
    const { sql } = this.#ports;
    this.#returning.giveUp(id);
    const row = rows.callById(sql, id);
    if (row?.state === 'open') {
      rows.markCancelled(sql, id);
      this.#send({ type: 'cancel', n: row.n, id });
    }
    const flight = this.#flights.byId(id);
    if (!flight || flight.call.effect) return;
    this.#send({ type: 'cancel', n: flight.n, id });
    flight.incoming?.lose();
    this.#flights.answer(flight, { kind: 'not_run', why: 'asked' });
  }

  /** Sends a question to the place where the machine runs its tools, and hands the answer to `heard`. */
  probe(heard: (answer: Probed) => void): () => void {
    const n = this.#number();
    this.#send({ type: 'probe', n });
    return this.#probes.wait(n, heard);
  }

  /** Ends calls that have waited too long, and drops those kept long enough. Tells whether any are left. */
  sweep(): boolean {
    const { sql, now } = this.#ports;
    for (const row of rows.openCalls(sql)) {
      if (now() - row.expires_at > LINK.keptMs) this.#finish(row.id, 'unknown');
      else if (!rows.isWanted(row, now()) && row.cancelled === 0) this.cancel(row.id);
    }
    return rows.forgetCalls(sql, now());
  }

  message(socket: LinkSocket, data: string | Uint8Array) {
    if (socket !== this.#socket) return socket.close(CLOSE.replaced, 'connected again');
    if (typeof data !== 'string') {
      const piece = decodePiece(data, LINK.result);
      return piece ? this.#piece(piece) : this.#refuse('This is not a valid piece of a result.');
    }
    const frame = decodeFrame(fromMachine, data);
    return frame ? this.#frame(frame) : this.#refuse('This is not a valid frame of this protocol.');
  }

  #frame(frame: FromMachine) {
    switch (frame.type) {
      case 'progress':
        return this.begun.hear(frame, this.#flights.byNumber(frame.n), this.#ports.sql);
      case 'unknown':
      case 'cancelled': {
        const row = rows.openByNumber(this.#ports.sql, frame.n);
        if (row) return this.#finish(row.id, frame.type === 'unknown' ? 'unknown' : 'not_run', frame);
        const flight = this.#flights.byNumber(frame.n);
        if (flight && !flight.call.effect && frame.type === 'cancelled')
          this.#flights.answer(flight, { kind: 'not_run', why: frame.why });
        return;
      }
      case 'holding': {
        const { sql } = this.#ports;
        if (machine.confirm(sql, this.#socket?.epoch ?? 0)) this.#goOn(frame.calls);
        const open = new Set(rows.openCalls(sql).map(({ id }) => id));
        const calls = frame.calls.filter((id) => !open.has(id));
        if (calls.length > 0) this.#send({ type: 'ack', calls });
        return;
      }
      case 'probed':
        return this.#probes.hear(frame);
      case 'accepted':
        return this.begun.add(this.#flights.byNumber(frame.n)?.call);
      case 'drain':
      case 'too_late':
      case 'error':
        return;
      default:
        return this.#refuse('This frame is not allowed at this point.');
    }
  }

  #piece(piece: Piece) {
    const flight = this.#flights.byNumber(piece.n);
    if (flight && !flight.call.effect) {
      const taken = this.#flights.take(flight, piece, (upto) =>
        this.#send({ type: 'credit', n: flight.n, upto }),
      );
      if (!taken) this.#refuse('This piece came out of order.');
      return;
    }
    const row = rows.openByNumber(this.#ports.sql, piece.n);
    // The caller of this read was lost while the object slept, so the sender need not continue.
    if (!row) {
      if (piece.at + piece.bytes.length < piece.total)
        this.#send({ type: 'cancel', n: piece.n, id: 'forgotten' });
      return;
    }
    this.#keep(row, piece);
  }

  /** Stores a piece of an effect's result, and ends the call once the result is whole. */
  #keep(row: CallRow, piece: Piece) {
    const { sql, transaction, now } = this.#ports;
    const kept = transaction(() => rows.keepPiece(sql, row.id, piece, now()));
    if (kept === 'out of turn') this.#refuse('This piece came out of order.');
    else if (kept === 'whole') this.#finished(row.id);
    else if (kept === 'part')
      this.#send({
        type: 'credit',
        n: piece.n,
        upto: Math.min(piece.total, piece.at + piece.bytes.length + LINK.callCredit),
      });
  }

  #finish(id: string, state: 'unknown' | 'not_run', frame?: FromMachine) {
    rows.finishCall(this.#ports.sql, id, state, this.#ports.now());
    this.#finished(id, frame?.type === 'cancelled' ? frame.why : undefined);
  }

  /** Lets the machine forget the call, and answers its caller. */
  #finished(id: string, why?: Extract<CallAnswer, { kind: 'not_run' }>['why']) {
    this.begun.end(id);
    this.#send({ type: 'ack', calls: [id] });
    this.#answerKept(id, why);
  }

  #answerKept(id: string, why?: Extract<CallAnswer, { kind: 'not_run' }>['why']) {
    const flight = this.#flights.byId(id);
    const row = flight && rows.callById(this.#ports.sql, id);
    const answer = row && answerOf(this.#ports.sql, row, why);
    if (answer) this.#flights.answer(flight, answer);
  }

  /** Tells whether the machine may get this call now. */
  #takes({ effect }: MachineCall): boolean {
    return this.#socket !== undefined && (!effect || machine.isConfirmed(this.#ports.sql));
  }

  #launch(call: MachineCall, heard: Heard) {
    const { sql, transaction, now, wakeWithin } = this.#ports;
    const n = this.#number();
    if (call.effect) {
      transaction(() => rows.insertCall(sql, call, n, machine.journalOf(sql), now()));
      wakeWithin(call.timeoutMs + 1_000);
    }
    // Send in the same turn that writes the row: the output gate lets nothing out before the row is on disk.
    this.#flights.add(call, n, heard);
    sendCall(sql, this.#socket, call, n);
  }

  #joinKnown(row: CallRow, call: MachineCall, heard: Heard) {
    if (row.digest !== call.digest || row.principal !== call.principal)
      return heard.answer({ kind: 'conflict' });
    const answer = answerOf(this.#ports.sql, row);
    if (answer) heard.answer(answer);
    else this.#flights.add(call, row.n, heard);
  }

  /** Sends a call with an effect again under its own id, or asks about the fate of a call that nobody wants any more. */
  #sendAgain(row: CallRow, held?: readonly string[]) {
    if (this.begun.isLost(row.id, held)) return this.#finish(row.id, 'unknown');
    const { sql, now } = this.#ports;
    const n = this.#number();
    rows.resent(sql, row.id, n);
    const flight = this.#flights.byId(row.id);
    if (flight) this.#flights.number(flight, n);
    if (row.cancelled === 1 || !rows.isWanted(row, now())) {
      return this.#send({ type: 'cancel', n, id: row.id });
    }
    sendCall(sql, this.#socket, storedCall(sql, row), n);
  }

  #send(frame: FromGateway) {
    this.#socket?.send(JSON.stringify(frame));
  }

  #refuse(message: string) {
    const socket = this.#socket;
    this.#send({ type: 'error', code: 'protocol', message });
    socket?.close(CLOSE.protocol, message);
    if (socket) this.closed(socket);
  }

  #offline(): CallAnswer {
    return { kind: 'offline', since: machine.offlineSince(this.#ports.sql) };
  }

  #number(): number {
    return this.#numbers.next(this.#socket, this.#ports.now());
  }
}
