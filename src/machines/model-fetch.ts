import { mlxAsk } from '../../contracts/mlx.ts';
import { ADMITTED } from '../core/admit.ts';
import type { Caller, Result } from '../core/call.ts';
import type { Door } from '../core/invoke.ts';
import { toolSet } from '../core/tools.ts';
import type { Fetch } from '../web/guarded-fetch.ts';
import { parseOutcome } from './answer.ts';
import { type Machines, onMachine } from './reach.ts';

/** A model on one of the owner's machines, as a setting names it. */
interface MachineModel {
  readonly machine: string;
  readonly port: number;
}

/** Reads `mlx:<machine>:<port>`; `undefined` for anything else, such as a URL. */
export function machineModelIn(setting: string): MachineModel | undefined {
  const [, machine, port] = /^mlx:([A-Za-z0-9][A-Za-z0-9_.-]*):(81[0-3]\d)$/.exec(setting) ?? [];
  return machine === undefined ? undefined : { machine, port: Number(port) };
}

/** The address that a chat client uses for a machine's model. None of it reaches a network. */
export const MACHINE_MODEL_BASE = 'http://model.invalid/v1';

const POLL_MS = 1_000;

/** Makes a fetch that leads through the link to a model on a machine, whatever address it gets. */
export function modelFetch(
  { machine, port }: MachineModel,
  machines: Machines,
  report: (error: unknown, where: string) => void,
): Fetch {
  // The owner's own model works for the owner here: the call that needs it has passed the gate already.
  const door: Door = {
    newCallId: () => `inner_${crypto.randomUUID()}`,
    place: machines.place,
    admit: () => ADMITTED,
    turnedAway: () => undefined,
    report: (error) => report(error, 'model'),
  };
  const tool = toolSet({ mlxAsk }, { mlxAsk: onMachine(mlxAsk) }, door, { machines }).get('mlx_ask');
  return async (_, init) => {
    const signal = init?.signal ?? undefined;
    const body = await new Response(init?.body ?? '{}').text();
    const caller: Caller = {
      principal: 'bowline',
      client: 'bowline',
      via: 'rest',
      scopes: new Set(['read', 'write', 'machine']),
      ...(signal ? { signal } : {}),
    };
    let result = await tool?.call({ machine, port, body }, caller);
    while (result?.kind === 'failed' && result.failure.code === 'still_running') {
      signal?.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      result = (await ended(machines, result.failure.call_id, caller.principal)) ?? result;
    }
    if (result?.kind === 'ok') {
      const { status, body: text } = mlxAsk.output.parse(result.output);
      return new Response(text, { status, headers: { 'content-type': 'application/json' } });
    }
    signal?.throwIfAborted();
    const message = result?.kind === 'failed' ? result.failure.message : 'The model gave no answer.';
    throw new TypeError(message);
  };
}

/** Waits for the end of a call that took longer than its answer. */
async function ended(
  machines: Machines,
  id: string | undefined,
  principal: string,
): Promise<Result | undefined> {
  const kept = id === undefined ? undefined : await machines.outcome(id, principal);
  if (!kept || kept.text === null) return undefined;
  const outcome = parseOutcome(kept.text);
  if (outcome?.kind === 'ok') return { kind: 'ok', output: outcome.output };
  throw new TypeError('The model gave no answer.');
}
