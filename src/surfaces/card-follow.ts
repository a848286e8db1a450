import * as z from 'zod';
import type { Risk } from '../../contracts/contract.ts';
import type { Caller, Result } from '../core/call.ts';
import { doorFailure } from '../core/failure.ts';
import type { Door } from '../core/invoke.ts';
import { JsonRefused } from '../core/json.ts';
import { type PreparedCall, prepareCall } from '../core/prepared-call.ts';
import type { Tool } from '../core/tools.ts';
import { type Sentence, sentenceOf } from '../gate/approval-sentence.ts';
import type { AskedCard, cardState } from '../gate/card-state.ts';
import { pageOf } from '../gate/elicitation.ts';
import type { RunningCall } from '../machines/kept-call.ts';
import type { AskedRun, Machines } from '../machines/reach.ts';

/** The parts that it takes to follow a call. */
export interface FollowPorts {
  gate(): { card(asked: AskedCard, principal: string): Promise<ReturnType<typeof cardState>> };
  readonly machines: Pick<Machines, 'running'>;
  find(tool: string): Promise<Tool | undefined>;
  readonly place: Door['place'];
  /** The gateway's origin, where approvals have their pages. */
  readonly origin: string;
}

const input = z.strictObject({
  code: z.string().max(20).optional(),
  call_id: z.string().max(128).optional(),
  tool: z.string().max(200).optional(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  known: z.boolean().default(false),
});

type State = NonNullable<ReturnType<typeof cardState>>;

/** The call that a card asks about, as far as it can be found without asking the gate or a machine. */
interface Asked {
  readonly by?: AskedCard['by'];
  /** The run of the call on a machine, if it is one that changes something. */
  readonly run?: AskedRun;
  readonly call?: { readonly sentence: Sentence; readonly risk: Risk };
}

/** Answers a card that follows a call. It only looks. */
export async function followed(args: unknown, caller: Caller, ports: FollowPorts): Promise<Result> {
  const { success, data } = input.safeParse(args ?? {});
  const asked = success ? await askedAbout(data, caller, ports) : 'nothing';
  if (!success || asked === 'nothing') {
    const message = 'A card asks by the `code` of an approval, a `call_id`, or `tool` and `arguments`.';
    return { kind: 'failed', failure: doorFailure('invalid_input', { message }) };
  }
  const { by, call } = asked;
  const state = by && (await ports.gate().card({ by, whole: !data.known }, caller.principal));
  const run = state ? runOf(state, asked) : asked.run;
  // Whoever may not use machines any more is not shown what runs there.
  const isShown = run && caller.scopes.has('machine');
  const running = isShown ? await ports.machines.running(run, caller.principal) : undefined;
  const about = call && !data.known ? { call } : {};
  // A run that nobody was asked about comes before an approval that is over: it is of a later call.
  const isOwn = state?.ran?.id === running?.id;
  if (state && (isOwn || !running)) return { kind: 'ok', output: shown(state, running, ports.origin) };
  return { kind: 'ok', output: { ...(running ? shownRun(running) : { state: 'none' }), ...about } };
}

/** Finds what a card asks about. Gives an empty object for a call that could not be made now, which nobody waits for. */
async function askedAbout(
  { code, call_id: id, tool: name, arguments: args = {} }: z.output<typeof input>,
  caller: Caller,
  { find, place }: FollowPorts,
): Promise<Asked | 'nothing'> {
  if (code !== undefined) return { by: { code } };
  if (id !== undefined) return { run: { id } };
  if (name === undefined) return 'nothing';
  const tool = await find(name);
  // As at the door: nothing is placed, and no machine asked, for a caller who may not call the tool.
  if (!tool || !caller.scopes.has(tool.contract.scope)) return {};
  const { contract } = tool;
  const parsed = contract.input.safeParse(args);
  if (!parsed.success) return {};
  const placed = await place(contract, parsed.data, caller, tool.onlyOn);
  if ('kind' in placed) return {};
  try {
    const prepared = prepareCall({ callId: '', contract, caller, input: parsed.data }, placed);
    const { digest, machine } = prepared;
    const isRun = machine && contract.risk !== 'read_only';
    return {
      by: { digest },
      ...(isRun ? { run: { machine: machine.id, digest } } : {}),
      call: { sentence: sentenceFor(prepared, caller), risk: contract.risk },
    };
  } catch (error) {
    if (error instanceof JsonRefused) return {};
    throw error;
  }
}

/** Says what a call is by its own words. It names the place only to a caller who may list machines. */
function sentenceFor({ contract, machine, root, params }: PreparedCall, caller: Caller): Sentence {
  const mayList = caller.scopes.has('read');
  return sentenceOf({
    client: caller.client,
    tool: contract.wireName,
    machine: (mayList && machine?.name) || null,
    root: (mayList && root?.name) || null,
    args: params,
  });
}

const OPEN: ReadonlySet<string> = new Set<State['state']>(['pending', 'approved']);

/** Finds the run to show with an approval: the one that it let run, or one of a later call like it. */
function runOf({ state, ran }: State, { run }: Asked): AskedRun | undefined {
  // The caller was told to come back for the end, and the ledger says no more than that.
  if (ran && (ran.outcome === null || ran.code === 'still_running')) return { id: ran.id };
  return OPEN.has(state) ? undefined : run;
}

function shown(
  { code, state, askedAgo, left, note, ran, call }: State,
  running: RunningCall | undefined,
  origin: string,
) {
  return {
    state,
    code,
    address: pageOf({ code }, origin),
    asked_seconds_ago: Math.floor(askedAgo / 1_000),
    seconds_left: Math.ceil(left / 1_000),
    note,
    ran: running ? ranAs(running) : ran && { call_id: ran.id, outcome: ran.outcome, code: ran.code },
    ...outputOf(running),
    ...(call ? { call } : {}),
  };
}

function shownRun(running: RunningCall) {
  return {
    state: running.state === 'open' ? 'running' : 'ended',
    asked_seconds_ago: Math.floor(Math.max(0, Date.now() - running.startedAt) / 1_000),
    ran: ranAs(running),
    ...outputOf(running),
  };
}

const ENDS = {
  open: [null, null],
  done: ['ok', null],
  failed: ['failed', null],
  unknown: ['failed', 'outcome_unknown'],
  not_run: ['failed', 'cancelled'],
} as const;

function ranAs({ id, state }: RunningCall) {
  const [outcome, code] = ENDS[state];
  return { call_id: id, outcome, code };
}

function outputOf(running: RunningCall | undefined) {
  return running?.said ? { output: running.said } : {};
}
