import type { CallEnd } from '../core/call-end.ts';
import { SharedTimer } from '../core/shared-timer.ts';

/** The end of the work for a request, which also has other reasons than that its sender left. */
class RequestEnd implements CallEnd {
  readonly #request: Request;
  /** The timer for all that this request waits for. */
  readonly timer = new SharedTimer();
  #isShutOut = false;
  #end: AbortController | undefined;

  constructor(request: Request) {
    this.#request = request;
  }

  abort(): void {
    this.#isShutOut = true;
    this.#end?.abort();
  }

  get isOver(): boolean {
    return this.#isShutOut || this.#request.signal.aborted;
  }

  /** Says that the sender left, or was shut out. */
  get signal(): AbortSignal {
    if (this.#end) return this.#end.signal;
    const end = new AbortController();
    this.#end = end;
    if (this.isOver) end.abort();
    else this.#request.signal.addEventListener('abort', () => end.abort(), { once: true });
    return end.signal;
  }
}

const ends = new WeakMap<Request, RequestEnd>();

/** Gives the end of the work for a request, the same one to all who ask. */
export function endOf(request: Request): RequestEnd {
  const known = ends.get(request);
  if (known) return known;
  const end = new RequestEnd(request);
  ends.set(request, end);
  return end;
}
