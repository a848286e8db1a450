import { LINK } from '../../contracts/link.ts';
import type { Piece } from '../core/link-pieces.ts';
import { Incoming } from './incoming.ts';
import type { CallAnswer, Heard, LinkPorts, MachineCall } from './link-ports.ts';

/** A call that somebody waits for at this moment. */
export interface Flight {
  readonly call: MachineCall;
  readonly heard: Heard;
  /** The number under which it was last sent. */
  n: number;
  incoming: Incoming | undefined;
  isStreaming: boolean;
  stopHold: () => void;
  stopLimit: () => void;
}

/**
 * The calls that callers wait for. All of it may be lost with the object's memory, because the callers are
 * then lost too.
 */
export class Flights {
  readonly #ports: Pick<LinkPorts, 'after'>;
  readonly #byId = new Map<string, Flight>();
  readonly #byNumber = new Map<number, Flight>();

  constructor(ports: Pick<LinkPorts, 'after'>) {
    this.#ports = ports;
  }

  get size(): number {
    return this.#byId.size;
  }

  byId(id: string): Flight | undefined {
    return this.#byId.get(id);
  }

  byNumber(n: number): Flight | undefined {
    return this.#byNumber.get(n);
  }

  reads(): Flight[] {
    return [...this.#byId.values()].filter(({ call }) => !call.effect);
  }

  effects(): Flight[] {
    return [...this.#byId.values()].filter(({ call }) => call.effect);
  }

  add(call: MachineCall, n: number, heard: Heard): Flight {
    // The caller lost the connection and sent the same call again. Nobody listens to the first any more.
    const earlier = this.#byId.get(call.id);
    if (earlier) this.answer(earlier, { kind: 'running' });
    const nothing = () => undefined;
    const flight: Flight = {
      ...{ call, heard, n, incoming: undefined, isStreaming: false },
      ...{ stopHold: nothing, stopLimit: nothing },
    };
    flight.stopHold = this.#ports.after(call.holdMs ?? LINK.holdMs, () =>
      this.answer(flight, { kind: 'running' }),
    );
    this.#byId.set(call.id, flight);
    this.#byNumber.set(n, flight);
    return flight;
  }

  /** Gives a call that is sent again its new number. What had arrived of its result is void. */
  number(flight: Flight, n: number): void {
    this.#byNumber.delete(flight.n);
    flight.n = n;
    flight.incoming = undefined;
    flight.stopLimit();
    this.#byNumber.set(n, flight);
  }

  /** Gives up the reads that stream, as the machine left. Lets the others wait for it. */
  disconnected(ms: number, answer: () => CallAnswer | false): void {
    for (const flight of this.reads()) {
      if (flight.isStreaming) {
        flight.incoming?.lose();
        this.drop(flight);
      } else {
        flight.incoming = undefined;
        this.limit(flight, ms, answer);
      }
    }
  }

  /** Ends the wait after a time, if `answer` then gives an answer. */
  limit(flight: Flight, ms: number, answer: () => CallAnswer | false): void {
    flight.stopLimit();
    flight.stopLimit = this.#ports.after(ms, () => {
      const end = answer();
      if (end) this.answer(flight, end);
    });
  }

  /** Takes the next piece of a read's result. Gives `false` if it is not the next one. */
  take(flight: Flight, { at, total, bytes, isOk }: Piece, grant: (upto: number) => void): boolean {
    flight.incoming ??= new Incoming(total, grant);
    const { incoming } = flight;
    if (incoming.total !== total || !incoming.push(at, bytes)) return false;
    if (flight.isStreaming) {
      if (incoming.isWhole) this.drop(flight);
    } else if (total > LINK.inline) {
      flight.isStreaming = true;
      flight.stopHold();
      flight.heard.answer({ kind: 'stream', isOk, incoming });
    } else if (incoming.isWhole) this.answer(flight, { kind: 'result', isOk, body: incoming.join() });
    else incoming.letIn();
    return true;
  }

  answer(flight: Flight, answer: CallAnswer): void {
    this.drop(flight);
    // A reader that has begun learns of the end from the stream.
    if (!flight.isStreaming) flight.heard.answer(answer);
  }

  drop(flight: Flight): void {
    flight.stopHold();
    flight.stopLimit();
    if (this.#byId.get(flight.call.id) === flight) this.#byId.delete(flight.call.id);
    if (this.#byNumber.get(flight.n) === flight) this.#byNumber.delete(flight.n);
  }
}
