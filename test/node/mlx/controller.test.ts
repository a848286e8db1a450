import { execFileSync } from 'node:child_process';
import { appendFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimModelPorts, stranger } from '../../support/model-ports.ts';
import { isRunning } from '../../support/proc.ts';
import { type MlxRig, mlxRig, watched } from './rig.ts';

const nextPort = await claimModelPorts();
let rig: MlxRig;
beforeEach(() => {
  rig = mlxRig();
});
afterEach(() => rig.end());

describe('loading', () => {
  it('waits for a first word of the model, then lists and unloads it', async () => {
    const mlx = rig.controller();
    const port = nextPort();
    const model = rig.download('org/good');
    const { watch } = watched();
    expect(await mlx.load(model, port, watch)).toEqual({ kind: 'loaded', wasLoaded: false });
    const [listed] = await mlx.list();
    expect(listed).toMatchObject({ model, port, state: 'ready' });
    expect(listed?.memoryBytes).toBeGreaterThan(1_000_000);
    expect(rig.log(port)).toContain('offline 1');
    const asked = await mlx.ask(port, '/v1/completions', '{"model":"org/good","prompt":"ping"}');
    expect(JSON.parse(asked?.body ?? '')).toMatchObject({ choices: [{ text: ' ping' }] });
    expect(await mlx.unload(port)).toEqual({ kind: 'unloaded', model });
    expect(listed?.pid && isRunning(listed.pid)).toBe(false);
    expect(await mlx.list()).toEqual([]);
    expect(await mlx.unload(port)).toMatchObject({ kind: 'not_listening' });
    expect(await mlx.ask(port, '/v1/completions', '{}')).toBeUndefined();
  });

  it('says that the same model is there already, and refuses another on its port', async () => {
    const mlx = rig.controller();
    const port = nextPort();
    const { watch } = watched();
    rig.download('org/other');
    await mlx.load(rig.download('org/good'), port, watch);
    expect(await mlx.load('org/good', port, watch)).toEqual({ kind: 'loaded', wasLoaded: true });
    const refused = await mlx.load('org/other', port, watch);
    expect(refused).toEqual({ kind: 'port_busy', message: `Port ${port} serves org/good.` });
  });

  it('starts one server for two that ask at once', async () => {
    const mlx = rig.controller();
    const port = nextPort();
    rig.download('org/good');
    const both = await Promise.all([1, 2].map(() => mlx.load('org/good', port, watched().watch)));
    expect(both).toEqual([
      { kind: 'loaded', wasLoaded: false },
      { kind: 'loaded', wasLoaded: true },
    ]);
    expect(await mlx.list()).toHaveLength(1);
  });

  it('refuses a port that something else has, and leaves that alone', async () => {
    const mlx = rig.controller();
    const port = nextPort();
    rig.download('org/good');
    const close = await stranger(port);
    try {
      expect(await mlx.load('org/good', port, watched().watch)).toMatchObject({ kind: 'port_busy' });
      expect(await mlx.unload(port)).toMatchObject({ kind: 'not_ours' });
    } finally {
      await close();
    }
  });

  it('downloads nothing: a model that is not in the cache is not found', async () => {
    const refused = await rig.controller().load('org/nowhere', nextPort(), watched().watch);
    expect(refused).toMatchObject({
      kind: 'model_not_found',
      message: expect.stringContaining('org/nowhere'),
    });
  });

  it('refuses what would not fit into memory', async () => {
    const mlx = rig.controller({ reserve_bytes: Number.MAX_SAFE_INTEGER });
    const refused = await mlx.load(rig.download('org/good'), nextPort(), watched().watch);
    expect(refused).toMatchObject({
      kind: 'not_enough_memory',
      message: expect.stringMatching(/GiB are free/),
    });
  });

  it('says that the command is missing', async () => {
    const mlx = rig.controller({ command: ['no-such-mlx'] });
    const refused = await mlx.load(rig.download('org/good'), nextPort(), watched().watch);
    expect(refused).toEqual({
      kind: 'not_configured',
      message: 'On this machine there is no command no-such-mlx.',
    });
  });

  it.each(['ends-at-once', 'crashes-loading'])(
    'gives the last words of a server that %s, without secrets',
    async (model) => {
      const mlx = rig.controller();
      const port = nextPort();
      const failed = await mlx.load(rig.download(model), port, watched().watch);
      expect(failed).toMatchObject({
        kind: 'launch_failed',
        message: expect.stringMatching(/ended while.*last said/s),
      });
      expect(JSON.stringify(failed)).not.toContain('sk-abcdefghijklmnopqrstuvwxyz123456');
      expect(await mlx.list()).toEqual([]);
    },
  );

  it('does not take an open port and fine health for a loaded model, and stops what never answers', async () => {
    const mlx = rig.controller({ ready_seconds: 2 });
    const port = nextPort();
    const { watch, said } = watched();
    expect(await mlx.load(rig.download('never-loads'), port, watch)).toMatchObject({ kind: 'launch_failed' });
    expect(said).toContain(`Loading never-loads on port ${port}.`);
    expect(await mlx.unload(port)).toMatchObject({ kind: 'not_listening' });
  });

  it('stops a server that hangs', async () => {
    const mlx = rig.controller({ ready_seconds: 1 });
    const failed = await mlx.load(rig.download('hangs'), nextPort(), watched().watch);
    expect(failed).toMatchObject({ kind: 'launch_failed', message: expect.stringContaining('within 1 s') });
  });

  it('stops loading when the caller leaves', async () => {
    const mlx = rig.controller();
    const leaving = new AbortController();
    const watch = { signal: leaving.signal, progress: () => leaving.abort() };
    const failed = await mlx.load(rig.download('never-loads'), nextPort(), watch);
    expect(failed).toMatchObject({ kind: 'launch_failed', message: expect.stringContaining('cancelled') });
    expect(await mlx.list()).toEqual([]);
  });

  it.each(['with space', "it's", 'a;touch x', '$(touch x)', '`touch x`', '-rf', '--port=9', 'a\nb', 'ü"\\'])(
    'passes the name %j as it is',
    async (model) => {
      const mlx = rig.controller();
      const port = nextPort();
      expect(await mlx.load(rig.download(model), port, watched().watch)).toMatchObject({ kind: 'loaded' });
      const argv = [`--model=${model}`, '--host', '127.0.0.1', '--port', String(port)];
      expect(rig.log(port)).toContain(`argv ${JSON.stringify(argv)}\n`);
      expect(readdirSync(rig.home)).not.toContain('x');
      await mlx.unload(port);
    },
  );
});

describe('unloading', () => {
  it.each(['ignores-int', 'ignores-all', 'leaves-children'])(
    'ends a server that %s, and all it started',
    async (model) => {
      const mlx = rig.controller({ stop_seconds: 1 });
      const port = nextPort();
      await mlx.load(rig.download(model), port, watched().watch);
      const pid = (await mlx.list())[0]?.pid ?? 0;
      const child = Number(/child (\d+)/.exec(rig.log(port))?.[1] ?? pid);
      expect(isRunning(child)).toBe(true);
      expect(await mlx.unload(port)).toMatchObject({ kind: 'unloaded' });
      expect([isRunning(pid), isRunning(child)]).toEqual([false, false]);
    },
  );

  it.runIf(process.platform === 'linux')(
    'is known by a start that no clock changes, and as earlier versions wrote it',
    async () => {
      const mlx = rig.controller();
      const port = nextPort();
      await mlx.load(rig.download('org/good'), port, watched().watch);
      const [server] = rig.registry().all();
      if (!server) throw new Error('nothing is registered');
      expect(server.since).toMatch(/^[0-9a-f-]{36} \d+$/);
      const byClock = execFileSync('ps', ['-o', 'lstart=', '-p', String(server.pid)], {
        encoding: 'utf8',
      }).trim();
      rig.registry().put({ ...server, since: byClock });
      expect(await mlx.list()).toMatchObject([{ port, since: server.since }]);
      expect(rig.registry().all()).toMatchObject([{ since: server.since }]);
    },
  );

  it('ends no process that only has the number of one it started', async () => {
    const mlx = rig.controller();
    const port = nextPort();
    await mlx.load(rig.download('org/good'), port, watched().watch);
    const [server] = rig.registry().all();
    if (!server?.pid) throw new Error('not loaded');
    // As if the server had ended, and its number and port had gone to somebody else.
    rig.registry().put({ ...server, since: 'Thu Jan  1 00:00:00 1970' });
    expect(await mlx.unload(port)).toMatchObject({ kind: 'not_ours' });
    expect(isRunning(server.pid)).toBe(true);
    process.kill(-server.pid, 'SIGKILL');
  });
});

describe('a sweep', () => {
  const loaded = async (settings: object) => {
    const mlx = rig.controller(settings);
    const port = nextPort();
    await mlx.load(rig.download('org/good'), port, watched().watch);
    return { mlx, port };
  };
  const quietFor = (port: number, minutes: number) => {
    const then = Date.now() / 1_000 - minutes * 60;
    utimesSync(rig.logPath(port), then, then);
  };

  it('unloads a model that answered nobody for the time that is set', async () => {
    const { mlx, port } = await loaded({ idle_minutes: 10 });
    quietFor(port, 9);
    await mlx.sweep();
    expect(await mlx.list()).toHaveLength(1);
    quietFor(port, 12);
    await mlx.sweep();
    expect(await mlx.list()).toEqual([]);
  });

  it('unloads nothing unless it is set, and keeps the log from filling the disk', async () => {
    const { mlx, port } = await loaded({});
    appendFileSync(rig.logPath(port), 'x'.repeat(21 * 1024 * 1024));
    quietFor(port, 100_000);
    await mlx.sweep();
    expect(await mlx.list()).toHaveLength(1);
    expect(statSync(rig.logPath(port)).size).toBe(0);
    expect(statSync(`${rig.logPath(port)}.1`).size).toBeGreaterThan(20 * 1024 * 1024);
  });
});

describe('a bridge that comes back', () => {
  it('finds its models again, and doubles none', async () => {
    const port = nextPort();
    await rig.controller().load(rig.download('org/good'), port, watched().watch);
    const after = rig.controller();
    expect(await after.list()).toMatchObject([{ port, state: 'ready' }]);
    expect(await after.load('org/good', port, watched().watch)).toEqual({ kind: 'loaded', wasLoaded: true });
    expect(await after.unload(port)).toMatchObject({ kind: 'unloaded' });
  });

  it('finds one whose number it never heard', async () => {
    const port = nextPort();
    await rig.controller().load(rig.download('org/good'), port, watched().watch);
    const [server] = rig.registry().all();
    if (!server) throw new Error('not loaded');
    // As if it had ended between starting the server and writing its number down.
    rig.registry().put({ ...server, pid: null, since: null, state: 'loading' });
    const after = rig.controller();
    expect(await after.list()).toMatchObject([{ port, pid: server.pid }]);
    expect(await after.load('org/good', port, watched().watch)).toEqual({ kind: 'loaded', wasLoaded: true });
    expect(await after.unload(port)).toMatchObject({ kind: 'unloaded' });
  });

  it('forgets what never came to run', async () => {
    const port = nextPort();
    rig.registry().put({
      id: 'gone',
      host: rig.controller().host,
      port,
      model: 'm',
      pid: null,
      since: null,
      startedAt: 0,
      state: 'loading',
    });
    expect(await rig.controller().list()).toEqual([]);
    expect(rig.registry().all()).toEqual([]);
  });

  it('does not guess at a registry that is damaged', async () => {
    await rig.controller().load(rig.download('org/good'), nextPort(), watched().watch);
    const servers = rig.registry().all();
    const path = join(rig.home, 'mlx', 'servers.json');
    writeFileSync(path, '{"servers":');
    await expect(rig.controller().list()).rejects.toThrow('damaged');
    writeFileSync(path, JSON.stringify({ servers }));
  });
});
