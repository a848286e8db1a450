import * as z from 'zod';
import { type AnyContract, readsOnly, tool } from '../../contracts/contract.ts';
import { NO_LEDGER } from '../../src/core/admit.ts';
import type { Caller, Result } from '../../src/core/call.ts';
import type { Handler } from '../../src/core/handler.ts';
import { type Admission, type Door, invoke } from '../../src/core/invoke.ts';
import type { AskedCall, PreparedCall } from '../../src/core/prepared-call.ts';

const unavailable = { status: 503, message: 'The shelf is being dusted.', suggestion: 'Wait a little.' };

const shared = {
  title: 'For tests',
  description: 'Exists only in tests.',
  runsOn: 'gateway',
  approval: 'never',
  limits: { perMinute: 10, timeoutMs: 1_500 },
  input: z.strictObject({
    id: z.string().min(2).max(8).describe('Which.'),
    copies: z.int().min(1).max(5).default(1).describe('How many.'),
  }),
  output: z.strictObject({
    text: z.string().describe('What it says.'),
    note: z.string().optional().describe('More about it.'),
  }),
  errors: {
    unavailable,
    bad_id: { status: 422, message: 'That is no id.', suggestion: 'Use two to eight letters.' },
  },
  inputErrors: { id: 'bad_id' },
  examples: [{ about: 'reads', input: { id: 'ab' }, output: { text: 'ab' } }],
} as const;

/** One contract of each risk, and one on each side. */
export const reading = tool({ ...shared, name: 'shelf.read', risk: 'read_only', hints: readsOnly });
export const writing = tool({
  ...shared,
  name: 'shelf.write',
  risk: 'safe_write',
  hints: { ...readsOnly, readOnly: false },
});
export const wrecking = tool({
  ...shared,
  name: 'shelf.burn',
  risk: 'dangerous',
  runsOn: 'machine',
  hints: { ...readsOnly, readOnly: false, destructive: true },
});

/** A contract that words its own time-out. */
export const slow = tool({
  ...shared,
  name: 'shelf.wait',
  risk: 'read_only',
  hints: readsOnly,
  errors: {
    ...shared.errors,
    timeout: { status: 504, message: 'The shelf is far.', suggestion: 'Walk faster.' },
  },
});

export const everyone: Caller = {
  principal: 'tester',
  client: 'vitest',
  via: 'rest',
  scopes: new Set(['read', 'write', 'machine']),
};

/** A door that writes down, in order, everything that passes it. */
export class WatchedDoor implements Door {
  readonly log: string[] = [];
  readonly admitted: PreparedCall[] = [];
  readonly settled: { call: AskedCall; result: Result }[] = [];
  readonly reported: { error: unknown; callId: string }[] = [];
  place: Door['place'] = NO_LEDGER.place;
  admission: (call: PreparedCall) => 'admitted' | Result | Promise<'admitted' | Result> = () => 'admitted';
  #calls = 0;

  newCallId(): string {
    this.#calls += 1;
    return `call_${this.#calls}`;
  }

  async admit(call: PreparedCall): Promise<Admission> {
    this.log.push('admit');
    this.admitted.push(call);
    const answer = await this.admission(call);
    if (answer === 'admitted') return { kind: 'admitted', settle: (result) => this.turnedAway(call, result) };
    this.turnedAway(call, answer);
    return answer;
  }

  turnedAway(call: AskedCall, result: Result): undefined {
    this.log.push('settle');
    this.settled.push({ call, result });
  }

  report(error: unknown, callId: string): void {
    this.log.push('report');
    this.reported.push({ error, callId });
  }
}

/** Sends one call through `invoke` as the tests' caller, who may do everything unless told otherwise. */
export function call<C extends AnyContract>(
  door: Door,
  contract: C,
  handler: Handler<C, undefined>,
  args: unknown = { id: 'ab' },
  caller: Partial<Caller> = {},
): Promise<Result> {
  return invoke(contract, handler, args, { ...everyone, ...caller }, door, undefined);
}

/** The failure of a result that has to be one. */
export function failureIn(result: Result) {
  if (result.kind !== 'failed') throw new Error(`expected a failure, got ${JSON.stringify(result)}`);
  return result.failure;
}
