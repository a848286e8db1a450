import * as z from 'zod';
import { type AnyContract, readsOnly, tool } from '../../contracts/contract.ts';
import { effectErrors } from '../../contracts/door-errors.ts';
import { effectInput, effectOutput } from '../../contracts/machine-fields.ts';
import type { Caller, Refusal, Result } from '../../src/core/call.ts';
import type { Call } from '../../src/core/handler.ts';
import type { Door } from '../../src/core/invoke.ts';
import type { Looked } from '../../src/core/preview.ts';
import { type Handlers, type Previews, type ToolSet, toolSet } from '../../src/core/tools.ts';
import { gateDoor } from '../../src/gate/gate-door.ts';
import type { GateDoorPorts } from '../../src/gate/gate-door-ports.ts';

const shared = {
  title: 'For tests',
  description: 'Exists only in tests.',
  runsOn: 'gateway',
  limits: { perMinute: 1_000, timeoutMs: 5_000 },
  output: z.strictObject({ text: z.string().describe('What came of it.'), ...effectOutput }),
  errors: {
    ...effectErrors,
    full: { status: 507, message: 'The desk is full.', suggestion: 'Clear it.' },
  },
  examples: [{ about: 'does', input: { path: 'a' }, output: { text: 'run 1' } }],
} as const;

const path = z.string().min(1).max(200).describe('Where.');
const input = z.strictObject({
  path,
  content: z
    .string()
    .max(4 * 1024 * 1024)
    .default('')
    .describe('What.'),
  machine: z.string().max(64).optional().describe('On which machine.'),
  ...effectInput,
});
const changes = { ...readsOnly, readOnly: false, idempotent: false };

/** A tool of each risk: one that reads, one that changes without asking, and three that ask, one after a look. */
export const deskTools = {
  'desk.look': tool({
    ...shared,
    name: 'desk.look',
    risk: 'read_only',
    approval: 'never',
    hints: readsOnly,
    input: z.strictObject({ path, password: z.string().optional().describe('To open it with.') }),
  }),
  'desk.keep': tool({
    ...shared,
    name: 'desk.keep',
    risk: 'safe_write',
    approval: 'never',
    hints: changes,
    input,
  }),
  'desk.write': tool({
    ...shared,
    name: 'desk.write',
    risk: 'safe_write',
    approval: 'ask',
    hints: changes,
    input,
  }),
  'desk.mend': tool({
    ...shared,
    name: 'desk.mend',
    risk: 'safe_write',
    approval: 'ask',
    hasPreview: true,
    hints: changes,
    input,
  }),
  'desk.burn': tool({
    ...shared,
    name: 'desk.burn',
    risk: 'dangerous',
    approval: 'ask',
    runsOn: 'machine',
    hints: { ...changes, destructive: true },
    input,
  }),
};

/** What those tools work on: it knows every run there was, and a test may say how the next ones go. */
export interface Desk {
  readonly runs: { readonly tool: string; readonly path: string; readonly caller: Caller }[];
  act?: (path: string, call: DeskCall) => Result | undefined | Promise<Result | undefined>;
  /** What is found when somebody looks at what a call would do. */
  look?: (path: string, call: Pick<DeskCall, 'fail' | 'caller'>) => Looked | Promise<Looked>;
}

/** What the handlers of all those tools have in common. */
interface DeskCall extends Pick<Call<AnyContract>, 'id' | 'caller' | 'signal' | 'ask' | 'progress'> {
  ok(output: { text: string }): Result<{ text: string }>;
  fail(code: 'full'): Refusal;
}

function handle(tool: string) {
  return async (
    { path }: { path: string },
    call: DeskCall,
    desk: Desk,
  ): Promise<Result<{ text: string }>> => {
    desk.runs.push({ tool, path, caller: call.caller });
    // What a test has a handler answer is nobody's to check but the product's.
    return ((await desk.act?.(path, call)) ?? call.ok({ text: `run ${desk.runs.length}` })) as Result<{
      text: string;
    }>;
  };
}

const handlers: Handlers<typeof deskTools, Desk> = {
  'desk.look': handle('desk.look'),
  'desk.keep': handle('desk.keep'),
  'desk.write': handle('desk.write'),
  'desk.mend': handle('desk.mend'),
  'desk.burn': handle('desk.burn'),
};

const previews: Previews<typeof deskTools, Desk> = {
  'desk.mend': ({ path }, call, desk) =>
    desk.look?.(path, call) ?? { facts: [], files: null, diff: null, state: null },
};

/** Takes a machine's name at its word: which machines there are is not what is tested here. */
export const placeAsTold: Door['place'] = (_, input) => {
  const { machine } = input as { readonly machine?: string };
  return { machine: machine === undefined ? null : { id: machine, name: machine }, root: null };
};

/** The tools behind the gate's own door. */
export function deskSet(ports: GateDoorPorts, desk: Desk): ToolSet {
  return toolSet(deskTools, handlers, gateDoor(ports), desk, previews);
}

/** Somebody who may call them all. */
export function callerNamed(principal: string, more: Partial<Caller> = {}): Caller {
  return {
    principal,
    client: 'tests',
    via: 'cli',
    scopes: new Set(['read', 'write', 'machine']),
    ...more,
  };
}

/** Things that happen, to be waited for until there were so many of them. */
export class Happenings<T> {
  readonly all: T[] = [];
  readonly #waiting: { count: number; resolve(): void }[] = [];

  add(one: T): void {
    this.all.push(one);
    for (const { count, resolve } of this.#waiting) if (this.all.length >= count) resolve();
  }

  /** The one of that number, counted from 1, as soon as it is there. */
  async nth(count: number): Promise<T> {
    if (this.all.length < count) {
      await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
    }
    const one = this.all[count - 1];
    if (one === undefined) throw new Error(`expected a number ${count}`);
    return one;
  }
}
