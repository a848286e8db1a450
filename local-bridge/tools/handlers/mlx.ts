import type { mlxAsk, mlxList, mlxLoad, mlxUnload } from '../../../contracts/mlx.ts';
import type { Refusal } from '../../../src/core/call.ts';
import type { Clock } from '../../../src/core/clock.ts';
import type { Handler } from '../../../src/core/handler.ts';
import type { MachineHandlers } from '../machine-handlers.ts';
import type { MlxController } from '../mlx/controller.ts';
import { HostUnreachable } from '../mlx/host.ts';
import { serverState } from '../mlx/seen-state.ts';

/** The means of the tools that start and stop models. */
export interface MlxPorts {
  readonly mlx: MlxController;
  readonly clock: Clock;
}

const loadModel: Handler<typeof mlxLoad, MlxPorts> = async ({ model, port }, call, { mlx }) => {
  try {
    const outcome = await mlx.load(model, port, {
      signal: call.signal,
      progress: (progress, message) => call.progress({ progress, message }),
      by: call.caller.client,
    });
    if (outcome.kind !== 'loaded') return call.fail(outcome.kind, outcome.message);
    const where = `${model} ${outcome.wasLoaded ? 'was loaded already' : 'is loaded'} on port ${port} of ${mlx.host}.`;
    return call.ok({ ok: true, message: where, port, model });
  } catch (error) {
    if (error instanceof HostUnreachable) return call.fail('host_unreachable', error.message);
    throw error;
  }
};

const unloadModel: Handler<typeof mlxUnload, MlxPorts> = async ({ port }, call, { mlx }) => {
  try {
    let changed: Refusal | undefined;
    const outcome = await mlx.unload(port, (server) => {
      changed = call.changedSince(serverState(server));
      return changed === undefined;
    });
    if (changed) return changed;
    if (outcome.kind === 'not_wanted') throw new Error(outcome.message);
    if (outcome.kind !== 'unloaded') return call.fail(outcome.kind, outcome.message);
    return call.ok({
      ok: true,
      message: `Unloaded ${outcome.model} from port ${port} of ${mlx.host}.`,
      port,
    });
  } catch (error) {
    if (error instanceof HostUnreachable) return call.fail('host_unreachable', error.message);
    throw error;
  }
};

const listModels: Handler<typeof mlxList, MlxPorts> = async (_, call, { mlx, clock }) => {
  try {
    const models = (await mlx.list()).map(({ model, host, port, state, memoryBytes, startedAt }) => ({
      model,
      host,
      port,
      state,
      memory_bytes: memoryBytes,
      age_seconds: Math.max(0, Math.round((clock.now().getTime() - startedAt) / 1_000)),
    }));
    return call.ok({ models });
  } catch (error) {
    if (error instanceof HostUnreachable) return call.fail('host_unreachable', error.message);
    throw error;
  }
};

const askModel: Handler<typeof mlxAsk, MlxPorts> = async ({ port, body }, call, { mlx }) => {
  try {
    // Put the body on one line, because it travels as one.
    const answer = await mlx.ask(port, '/v1/chat/completions', JSON.stringify(JSON.parse(body)));
    return answer ? call.ok(answer) : call.fail('not_listening', `No model of ours answers on port ${port}.`);
  } catch (error) {
    if (error instanceof HostUnreachable) return call.fail('host_unreachable', error.message);
    throw error;
  }
};

/** Handlers by the names of their contracts. */
export const mlxHandlers = {
  'mlx.load': loadModel,
  'mlx.unload': unloadModel,
  'mlx.list': listModels,
} satisfies MachineHandlers;

/** Handlers of calls that only the gateway makes. */
export const innerHandlers = { 'mlx.ask': askModel };
