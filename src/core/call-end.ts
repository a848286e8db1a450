import type { Caller } from './call.ts';

/** What ends a call from outside: its caller left, or was shut out. */
export interface CallEnd {
  readonly isOver: boolean;
  /** Made when somebody asks for it. */
  readonly signal: AbortSignal;
}

/** The ends of callers that bring no signal before somebody asks for it. */
const ends = new WeakMap<Caller, CallEnd>();

/** Gives a caller whose signal is made when somebody asks for it. Most calls are over before anybody does. */
export function endedBy(caller: Caller, end: CallEnd): Caller {
  const ended = Object.defineProperty({ ...caller }, 'signal', SIGNAL);
  ends.set(ended, end);
  return ended;
}

/** One getter for all callers: with one for each, the engine would keep a shape for each. */
const SIGNAL = {
  enumerable: true,
  configurable: true,
  get(this: Caller) {
    return ends.get(this)?.signal;
  },
};

/** Tells if a caller left or was shut out. A copy of a caller has its signal already, and no other end. */
export function hasLeft(caller: Caller): boolean {
  const end = ends.get(caller);
  return end ? end.isOver : caller.signal?.aborted === true;
}
