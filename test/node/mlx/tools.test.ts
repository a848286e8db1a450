import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { mlxAsk } from '../../../contracts/mlx.ts';
import { innerHandlers, mlxHandlers } from '../../../local-bridge/tools/handlers/mlx.ts';
import { mlxPreviews } from '../../../local-bridge/tools/handlers/mlx-preview.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { claimModelPorts, stranger } from '../../support/model-ports.ts';
import { everyone, failureIn, WatchedDoor } from '../../support/tools.ts';
import { type MlxRig, mlxRig } from './rig.ts';

const nextPort = await claimModelPorts();
let rig: MlxRig;
beforeEach(() => {
  rig = mlxRig();
});
afterEach(() => rig.end());

function toolsOver(settings: object = {}) {
  const { 'mlx.load': load, 'mlx.unload': unload, 'mlx.list': list } = catalogue;
  const contracts = { 'mlx.load': load, 'mlx.unload': unload, 'mlx.list': list, 'mlx.ask': mlxAsk };
  const ports = { mlx: rig.controller(settings), clock: systemClock };
  const handlers = { ...mlxHandlers, ...innerHandlers };
  const tools = toolSet(contracts, handlers, new WatchedDoor(), ports, mlxPreviews);
  return (name: string, args: object) => {
    const tool = tools.get(name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool.call(args, everyone);
  };
}

const codeOf = async (answer: Promise<Parameters<typeof failureIn>[0]>) => {
  const { code, http_status } = failureIn(await answer);
  return `${code} ${http_status}`;
};

describe('the tools for models', () => {
  it.each([8_099, 8_140, 8_100.5, '8100', null])('name the port %j as what is wrong', async (port) => {
    const call = toolsOver();
    expect(await codeOf(call('mlx_load', { model: 'm', port }))).toBe('invalid_port 400');
    expect(await codeOf(call('mlx_unload', { port }))).toBe('invalid_port 400');
  });

  it('load, list and unload', async () => {
    const call = toolsOver();
    const port = nextPort();
    const model = rig.download('org/good');
    expect(await call('mlx_load', { model, port })).toMatchObject({
      kind: 'ok',
      output: {
        ok: true,
        port,
        model,
        message: expect.stringContaining(`org/good is loaded on port ${port}`),
      },
    });
    expect(await call('mlx_load', { model, port })).toMatchObject({
      kind: 'ok',
      output: { message: expect.stringContaining('was loaded already') },
    });
    expect(await call('mlx_list', {})).toMatchObject({
      kind: 'ok',
      output: { models: [{ model, port, state: 'ready', age_seconds: expect.any(Number) }] },
    });
    expect(await call('mlx_unload', { port })).toMatchObject({ kind: 'ok', output: { ok: true, port } });
  });

  it('give each failure its name', async () => {
    const call = toolsOver();
    const port = nextPort();
    expect(await codeOf(call('mlx_load', { model: 'org/nowhere', port }))).toBe('model_not_found 404');
    rig.download('ends-at-once');
    expect(await codeOf(call('mlx_load', { model: 'ends-at-once', port }))).toBe('launch_failed 500');
    expect(await codeOf(call('mlx_unload', { port }))).toBe('not_listening 404');
    const close = await stranger(port);
    try {
      expect(await codeOf(call('mlx_load', { model: 'ends-at-once', port }))).toBe('port_busy 409');
      expect(await codeOf(call('mlx_unload', { port }))).toBe('not_ours 409');
    } finally {
      await close();
    }
    const small = toolsOver({ reserve_bytes: Number.MAX_SAFE_INTEGER });
    expect(await codeOf(small('mlx_load', { model: 'ends-at-once', port }))).toBe('not_enough_memory 507');
    const without = toolsOver({ command: ['no-such-mlx'] });
    expect(await codeOf(without('mlx_load', { model: 'm', port }))).toBe('not_configured 503');
    const down = toolsOver({ host: 'down' });
    rig
      .registry()
      .put({ id: 'x', host: 'down', port, model: 'm', pid: 1, since: 'x', startedAt: 0, state: 'ready' });
    expect(await codeOf(down('mlx_load', { model: 'm', port }))).toBe('host_unreachable 502');
    expect(await codeOf(down('mlx_unload', { port }))).toBe('host_unreachable 502');
    expect(await codeOf(down('mlx_list', {}))).toBe('host_unreachable 502');
    rig.registry().drop('x');
  });

  it('carry a question of the gateway’s to a model of ours, and to nothing else', async () => {
    const call = toolsOver();
    const port = nextPort();
    const body = JSON.stringify(
      { model: 'org/good', messages: [{ role: 'user', content: 'two\nlines' }] },
      null,
      2,
    );
    expect(await codeOf(call('mlx_ask', { port, body }))).toBe('not_listening 404');
    const close = await stranger(port);
    expect(await codeOf(call('mlx_ask', { port, body }))).toBe('not_listening 404');
    await close();
    await call('mlx_load', { model: rig.download('org/good'), port });
    expect(await call('mlx_ask', { port, body })).toMatchObject({ kind: 'ok', output: { status: 200 } });
    const down = toolsOver({ host: 'down' });
    rig
      .registry()
      .put({ id: 'x', host: 'down', port, model: 'm', pid: 1, since: 'x', startedAt: 0, state: 'ready' });
    expect(await codeOf(down('mlx_ask', { port, body }))).toBe('host_unreachable 502');
    rig.registry().drop('x');
  });
});
