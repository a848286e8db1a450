import type { mlxLoad, mlxUnload } from '../../../contracts/mlx.ts';
import type { Preview } from '../../../contracts/preview.ts';
import type { Refusal } from '../../../src/core/call.ts';
import { plainFact } from '../../../src/core/plain-fact.ts';
import type { PreviewCall, Previewer } from '../../../src/core/preview.ts';
import { agoIn } from '../../../src/core/time-words.ts';
import { gigabytes } from '../mlx/before-load.ts';
import { HostUnreachable } from '../mlx/host.ts';
import { serverState } from '../mlx/seen-state.ts';
import type { MlxPorts } from './mlx.ts';

const previewLoad: Previewer<typeof mlxLoad, MlxPorts> = ({ model, port }, call, { mlx }) =>
  reached(call, async () => {
    const before = await mlx.lookBeforeLoad(model, port);
    const where = `port ${port} of ${mlx.host}`;
    if (before.kind === 'serving') return looked([plainFact(`${model} is loaded already, on ${where}.`)]);
    if (before.kind !== 'can_load') return call.fail(before.kind, before.message);
    const { size, free } = before;
    const others = await mlx.list('onlyLook');
    const loaded = others.map((one) => {
      const memory = one.memoryBytes === null ? '' : `, ${gigabytes(one.memoryBytes)} of memory`;
      return plainFact(`Loaded already: ${one.model} on port ${one.port}${memory}.`);
    });
    return looked([
      plainFact(`A model server would start on ${where}.`),
      plainFact(
        size === undefined
          ? 'The size of the model could not be found out in time.'
          : `The model has ${gigabytes(size)} on disk.`,
      ),
      plainFact(
        free === undefined
          ? 'The host does not say how much memory is free.'
          : `${gigabytes(free)} of memory are free.`,
      ),
      ...(loaded.length > 0 ? loaded.slice(0, 30) : [plainFact('No other model is loaded.')]),
    ]);
  });

const previewUnload: Previewer<typeof mlxUnload, MlxPorts> = ({ port }, call, { mlx, clock }) =>
  reached(call, async () => {
    const found = await mlx.look(port);
    if (found.kind === 'free') return call.fail('not_listening', `Nothing is served on port ${port}.`);
    if (found.kind === 'foreign') return call.fail('not_ours');
    const { server, loggedAt } = found;
    const ago = (at: number) => agoIn(clock.now().getTime() - at);
    const by = server.loadedBy === undefined ? '' : ` for ${server.loadedBy}`;
    return looked(
      [
        plainFact(`${server.model} on port ${port} of ${mlx.host} would be stopped.`),
        plainFact(`It was started ${ago(server.startedAt)}${by}.`),
        ...(server.state === 'loading' ? [plainFact('It is still loading.', true)] : []),
        plainFact(
          loggedAt === undefined
            ? 'It is not known when it was last used.'
            : `Its log was last written to ${ago(loggedAt)}. It is not known who used it.`,
        ),
      ],
      serverState(server),
    );
  });

async function reached(
  call: PreviewCall<typeof mlxLoad> | PreviewCall<typeof mlxUnload>,
  look: () => Promise<Preview | Refusal>,
): Promise<Preview | Refusal> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof HostUnreachable) return call.fail('host_unreachable', error.message);
    throw error;
  }
}

function looked(facts: Preview['facts'], state: string | null = null): Preview {
  return { facts, files: null, diff: null, state };
}

/** Previewers by the names of their contracts. */
export const mlxPreviews = { 'mlx.load': previewLoad, 'mlx.unload': previewUnload };
