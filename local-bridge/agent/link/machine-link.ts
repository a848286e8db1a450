import {
  type CallFrame,
  type FromGateway,
  type FromMachine,
  fromGateway,
  LINK,
} from '../../../contracts/link.ts';
import type { Progress } from '../../../src/core/call.ts';
import { decodePiece, type Piece } from '../../../src/core/link-pieces.ts';
import { decodeFrame } from '../../../src/core/link-text.ts';
import { Arguments } from './arguments.ts';
import { type Body, bodyOf, type Journal } from './journal.ts';
import { Outbox } from './outbox.ts';

/** A call as it arrived, with its whole text. */
export interface Job {
  readonly id: string;
  readonly tool: string;
  readonly digest: string;
  readonly principal: string;
  readonly client: string;
  /** The text of the call that the gateway prepared. */
  readonly text: string;
  /** The state that the owner saw when they approved the call. */
  readonly seen?: string | undefined;
  /** The caller's own reason, for the person whom this machine asks. */
  readonly reason?: string | undefined;
}

export interface Ended {
  readonly ok: boolean;
  readonly bytes: Uint8Array;
}

/** Runs tools. It checks each call itself, because a job holds only what the gateway says. */
export interface Runner {
  /** The number of tools. */
  readonly tools: number;
  /** Tells whether this side knows that the tool changes something. */
  isEffect(tool: string): boolean;
  /** Starts a call and gives a function that stops it. Reports the end exactly once. */
  run(job: Job, progress: (update: Progress) => void, ended: (end: Ended) => void): () => void;
}

/** The socket, once both sides have proved themselves. */
export interface MachineSocket {
  send(frame: string | Uint8Array): void;
  close(): void;
}

interface Run {
  readonly job: Job;
  readonly isEffect: boolean;
  /** The number under which to answer; `undefined` while nobody listens. */
  n: number | undefined;
  stop: (() => void) | undefined;
}

/**
 * The machine's half of the link. It begins a call that changes something only when the journal holds its id. From
 * then on it answers for that call from the journal.
 */
export class MachineLink {
  readonly #journal: Journal;
  readonly #runner: Runner;
  readonly #report: (error: unknown) => void;
  readonly #outbox = new Outbox((frame) => this.#socket?.send(frame));
  readonly #arguments = new Arguments();
  readonly #running = new Map<string, Run>();
  readonly #queued = new Map<string, Run>();
  #socket: MachineSocket | undefined;
  #last = 0;
  /** The connection's number, until the journal has stored it. */
  #unstored: number | undefined;
  #isDraining = false;
  #idle: () => void = () => undefined;

  constructor(journal: Journal, runner: Runner, report: (error: unknown) => void) {
    this.#journal = journal;
    this.#runner = runner;
    this.#report = report;
  }

  /** Takes a connection on which the gateway has just said welcome. */
  attach(socket: MachineSocket, epoch: number) {
    this.detach();
    this.#socket = socket;
    this.#last = 0;
    this.#unstored = epoch;
    this.store();
    if (this.#isDraining) this.#tell({ type: 'drain' });
  }

  /**
   * Stores the connection's number, then tells the gateway which calls the journal holds. Until then the gateway
   * sends nothing that changes something. If the disk is full, call this again later.
   */
  store() {
    if (this.#unstored === undefined) return;
    try {
      this.#journal.connected(this.#unstored);
    } catch (error) {
      return this.#report(error);
    }
    this.#unstored = undefined;
    const held = this.#journal.held();
    for (let i = 0; i === 0 || i < held.length; i += LINK.listed)
      this.#tell({ type: 'holding', calls: held.slice(i, i + LINK.listed) });
  }

  /** Drops the connection. Running calls continue; waiting ones will be sent again. */
  detach() {
    this.#socket = undefined;
    this.#unstored = undefined;
    this.#outbox.clear();
    this.#arguments.clear();
    this.#queued.clear();
    for (const run of this.#running.values()) run.n = undefined;
    this.#tellIfIdle();
  }

  /** Takes no more calls, and says when the last one has ended. */
  drain(idle: () => void) {
    this.#isDraining = true;
    this.#idle = idle;
    this.#tell({ type: 'drain' });
    for (const [id, { n }] of this.#queued) {
      this.#queued.delete(id);
      if (n !== undefined) this.#tell({ type: 'cancelled', n, why: 'draining' });
    }
    this.#tellIfIdle();
  }

  /** Takes a message. Gives `false` if no gateway that follows the protocol would send it. */
  message(socket: MachineSocket, data: string | Uint8Array): boolean {
    if (socket !== this.#socket) return true;
    if (typeof data !== 'string') {
      const piece = decodePiece(data, LINK.text);
      return piece !== undefined && this.#piece(piece);
    }
    const frame = decodeFrame(fromGateway, data);
    return frame !== undefined && this.#frame(frame);
  }

  #frame(frame: FromGateway): boolean {
    switch (frame.type) {
      case 'call':
        return this.#call(frame);
      case 'cancel':
        this.#cancel(frame.n, frame.id);
        return true;
      case 'credit':
        this.#outbox.credit(frame.n, frame.upto);
        this.#tellIfIdle();
        return true;
      case 'ack':
        this.#journal.forget(frame.calls.filter((id) => !this.#running.has(id)));
        return true;
      case 'probe': {
        const { tools } = this.#runner;
        this.#tell({
          type: 'probed',
          n: frame.n,
          running: this.#running.size,
          queued: this.#queued.size,
          tools,
        });
        return true;
      }
      case 'error':
        this.#report(new Error(`The gateway says: ${frame.message}`));
        return true;
      default:
        return false;
    }
  }

  #call({ type: _, n, text, bytes, effect, ...rest }: CallFrame): boolean {
    // Numbers rise, so a frame that comes twice is not a second call.
    if (n <= this.#last) return true;
    this.#last = n;
    const take = (whole: string) => this.#take(n, { ...rest, text: whole }, effect);
    if (text !== undefined) take(text);
    else if (bytes !== undefined) return this.#arguments.expect(n, bytes, take);
    else return false;
    return true;
  }

  #piece(piece: Piece): boolean {
    return this.#arguments.add(piece);
  }

  #take(n: number, job: Job, isToldEffect: boolean) {
    const known = this.#running.get(job.id) ?? this.#queued.get(job.id);
    if (known) {
      known.n = n;
      return;
    }
    if (this.#answerFromJournal(n, job.id)) return;
    if (this.#isDraining) return this.#tell({ type: 'cancelled', n, why: 'draining' });
    // If either side considers it side-effecting, treat it so: the two may be of different versions.
    const run: Run = { job, isEffect: isToldEffect || this.#runner.isEffect(job.tool), n, stop: undefined };
    if (this.#running.size < LINK.running) this.#start(run);
    else if (this.#queued.size < LINK.queued) this.#queued.set(job.id, run);
    else this.#tell({ type: 'cancelled', n, why: 'busy' });
  }

  /** Answers with what is known about a call that was begun before; `false` if there was none with that id. */
  #answerFromJournal(n: number, id: string): boolean {
    const begun = this.#journal.find(id);
    if (!begun) return false;
    if (begun.is === 'started') this.#tell({ type: 'unknown', n });
    else this.#outbox.add(n, begun.ok, begun.body);
    return true;
  }

  #start(run: Run) {
    const { job, isEffect } = run;
    if (isEffect) {
      try {
        this.#journal.start(job.id);
      } catch (error) {
        this.#report(error);
        if (run.n !== undefined) this.#tell({ type: 'cancelled', n: run.n, why: 'disk' });
        return;
      }
      if (run.n !== undefined) this.#tell({ type: 'accepted', n: run.n });
    }
    this.#running.set(job.id, run);
    const progress = ({ progress: at, total, message }: Progress) => {
      if (run.n === undefined || !this.#running.has(job.id)) return;
      const more = {
        ...(total === undefined ? {} : { total }),
        ...(message ? { message: message.slice(0, 8_192) } : {}),
      };
      this.#tell({ type: 'progress', n: run.n, progress: at, ...more });
    };
    run.stop = this.#runner.run(job, progress, (end) => this.#ended(run, end));
  }

  #ended(run: Run, { ok, bytes }: Ended) {
    const { job, isEffect } = run;
    if (this.#running.get(job.id) !== run) return;
    let body: Body = bodyOf(bytes);
    if (isEffect) {
      try {
        body = this.#journal.finish(job.id, ok, bytes);
      } catch (error) {
        // The journal still says that the call began. After a restart its outcome is unknown, which is true.
        this.#report(error);
      }
    }
    this.#running.delete(job.id);
    if (run.n !== undefined) this.#outbox.add(run.n, ok, body);
    for (const [id, next] of this.#queued) {
      if (this.#running.size >= LINK.running) break;
      this.#queued.delete(id);
      this.#start(next);
    }
    this.#tellIfIdle();
  }

  #cancel(n: number, id: string) {
    this.#outbox.drop(n);
    this.#arguments.drop(n);
    const run = this.#running.get(id);
    if (run) {
      run.n = run.isEffect ? n : undefined;
      if (run.isEffect) this.#tell({ type: 'too_late', n });
      run.stop?.();
    } else if (this.#queued.delete(id) || !this.#journal.find(id)) {
      this.#tell({ type: 'cancelled', n, why: 'asked' });
    } else {
      this.#tell({ type: 'too_late', n });
      this.#answerFromJournal(n, id);
    }
    this.#tellIfIdle();
  }

  #tell(frame: FromMachine) {
    this.#socket?.send(JSON.stringify(frame));
  }

  #tellIfIdle() {
    const isIdle = this.#running.size === 0 && (this.#outbox.size === 0 || !this.#socket);
    if (this.#isDraining && isIdle) this.#idle();
  }
}
