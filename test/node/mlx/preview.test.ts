import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mlxLoad, mlxUnload } from '../../../contracts/mlx.ts';
import { mlxHandlers } from '../../../local-bridge/tools/handlers/mlx.ts';
import { mlxPreviews } from '../../../local-bridge/tools/handlers/mlx-preview.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { runPrepared } from '../../../src/core/invoke.ts';
import type { Looked } from '../../../src/core/preview.ts';
import { look as lookAt } from '../../support/look.ts';
import { claimModelPorts, stranger } from '../../support/model-ports.ts';
import { prepared } from '../../support/prepared.ts';
import { failureIn, WatchedDoor } from '../../support/tools.ts';
import { type MlxRig, mlxRig, watched } from './rig.ts';

const nextPort = await claimModelPorts();
let rig: MlxRig;
beforeEach(() => {
  rig = mlxRig();
});
afterEach(() => rig.end());

const texts = (looked: Looked) =>
  'facts' in looked ? looked.facts.map(({ text }) => text) : [JSON.stringify(looked)];
const codeOf = (looked: Looked) =>
  'kind' in looked && looked.kind === 'failed' ? looked.failure.code : undefined;

describe('the previews of the tools for models', () => {
  it('say what a load would start, and what is loaded beside it, and start nothing', async () => {
    const mlx = rig.controller();
    const ports = { mlx, clock: systemClock };
    const [first, second] = [nextPort(), nextPort()];
    const load = (model: string, port: number) =>
      lookAt(mlxLoad, prepared(mlxLoad, { model, port }), ports, mlxPreviews['mlx.load']);
    const unload = (port: number) =>
      lookAt(mlxUnload, prepared(mlxUnload, { port }), ports, mlxPreviews['mlx.unload']);
    const model = rig.download('org/good');

    expect(texts(await load(model, first))).toEqual([
      `A model server would start on port ${first} of ${mlx.host}.`,
      'The model has 0.0 GiB on disk.',
      expect.stringMatching(/^[\d.]+ GiB of memory are free\.$/),
      'No other model is loaded.',
    ]);
    expect(rig.registry().all()).toEqual([]);
    expect(codeOf(await load('org/nowhere', first))).toBe('model_not_found');
    expect(codeOf(await unload(first))).toBe('not_listening');

    await mlx.load(model, first, { ...watched().watch, by: 'Claude' });
    expect(texts(await load(model, first))).toEqual([
      `${model} is loaded already, on port ${first} of ${mlx.host}.`,
    ]);
    expect(codeOf(await load('org/other', first))).toBe('port_busy');
    expect(texts(await load(model, second))).toEqual(
      expect.arrayContaining([
        expect.stringMatching(`^Loaded already: ${model} on port ${first}, .* of memory\\.$`),
      ]),
    );
    expect(texts(await unload(first))).toEqual([
      `${model} on port ${first} of ${mlx.host} would be stopped.`,
      'It was started less than a minute ago for Claude.',
      'Its log was last written to less than a minute ago. It is not known who used it.',
    ]);
    expect(await mlx.list()).toMatchObject([{ model, port: first, state: 'ready' }]);
  });

  it('end a call whose port is taken or whose memory is too small', async () => {
    const port = nextPort();
    const model = rig.download('org/good');
    const small = { mlx: rig.controller({ reserve_bytes: Number.MAX_SAFE_INTEGER }), clock: systemClock };
    const load = () => lookAt(mlxLoad, prepared(mlxLoad, { model, port }), small, mlxPreviews['mlx.load']);
    expect(codeOf(await load())).toBe('not_enough_memory');
    const close = await stranger(port);
    try {
      expect(codeOf(await load())).toBe('port_busy');
      const unload = lookAt(mlxUnload, prepared(mlxUnload, { port }), small, mlxPreviews['mlx.unload']);
      expect(codeOf(await unload)).toBe('not_ours');
    } finally {
      await close();
    }
  });

  it('leave the note of a server that is gone as it is', async () => {
    const port = nextPort();
    const gone = { id: 'x', host: rig.controller().host, port, model: 'm', pid: 2 ** 22 - 1, since: 'once' };
    rig.registry().put({ ...gone, startedAt: 1, state: 'ready' });
    const before = readFileSync(join(rig.home, 'mlx', 'servers.json'), 'utf8');
    const ports = { mlx: rig.controller(), clock: systemClock };
    const look = () => lookAt(mlxUnload, prepared(mlxUnload, { port }), ports, mlxPreviews['mlx.unload']);
    expect(codeOf(await look())).toBe('not_listening');
    expect(readFileSync(join(rig.home, 'mlx', 'servers.json'), 'utf8')).toBe(before);
  });

  it('an approved unload stops the server that the owner was shown and no later one', async () => {
    const mlx = rig.controller();
    const ports = { mlx, clock: systemClock };
    const port = nextPort();
    const [one, two] = [rig.download('org/one'), rig.download('org/two')];
    const call = prepared(mlxUnload, { port });
    const unload = (seen: string) =>
      runPrepared(mlxUnload, mlxHandlers['mlx.unload'], { ...call, seen }, new WatchedDoor(), ports);
    const stateNow = async () => {
      const looked = await lookAt(mlxUnload, call, ports, mlxPreviews['mlx.unload']);
      return ('state' in looked && looked.state) || JSON.stringify(looked);
    };
    await mlx.load(one, port, watched().watch);
    const seen = await stateNow();
    await mlx.unload(port);
    await mlx.load(two, port, watched().watch);
    expect(failureIn(await unload(seen)).code).toBe('changed_since_approval');
    expect(await mlx.list()).toMatchObject([{ model: two }]);
    expect(await unload(await stateNow())).toMatchObject({ kind: 'ok' });
  });
});
