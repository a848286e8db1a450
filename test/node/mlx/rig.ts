import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MlxController, openMlx } from '../../../local-bridge/tools/mlx/controller.ts';
import { hostOf } from '../../../local-bridge/tools/mlx/host.ts';
import { openRegistry } from '../../../local-bridge/tools/mlx/registry.ts';
import { mlxSettings } from '../../../local-bridge/tools/mlx/settings.ts';

const fixtures = new URL('../../fixtures/mlx/', import.meta.url).pathname;

/** A home, a cache with downloaded models, and controllers over them, as the bridge would have them. */
export function mlxRig() {
  const home = mkdtempSync(join(tmpdir(), 'bowline-mlx-'));
  const cache = join(home, 'hub');
  const servers = join(home, 'servers');
  const sshLog = join(home, 'ssh.log');
  const before = { ...process.env };
  Object.assign(process.env, { HF_HUB_CACHE: cache, BOWLINE_MLX_HOME: servers, FAKE_SSH_LOG: sshLog });
  const open: MlxController[] = [];
  const registry = () => openRegistry(home);
  const controller = (more: object = {}) => {
    const settings = mlxSettings({
      command: [process.execPath, join(fixtures, 'server.mjs')],
      ssh: [join(fixtures, 'ssh.sh')],
      reserve_bytes: 0,
      ready_seconds: 20,
      stop_seconds: 2,
      ...more,
    });
    const made = openMlx(hostOf(settings, home), registry(), settings);
    open.push(made);
    return made;
  };
  return {
    home,
    registry,
    controller,
    download: (model: string) => {
      const folder = join(cache, `models--${model.replaceAll('/', '--')}`, 'snapshots', 'abc');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'config.json'), '{}');
      return model;
    },
    logPath: (port: number) => join(servers, `${port}.log`),
    log: (port: number) => readFileSync(join(servers, `${port}.log`), 'utf8'),
    sshLog: () => readFileSync(sshLog, 'utf8').split('\n'),
    async end() {
      const last = controller();
      for (const { port, pid } of registry().all()) {
        await last.unload(port);
        // Those of the stand-in for another host are not seen from here by their host's name.
        if (pid !== null) endGroup(pid);
      }
      for (const one of open) one.close();
      for (const name of ['HF_HUB_CACHE', 'BOWLINE_MLX_HOME', 'FAKE_SSH_LOG']) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export type MlxRig = ReturnType<typeof mlxRig>;

export function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

export const watched = () => {
  const said: string[] = [];
  return {
    said,
    watch: {
      signal: new AbortController().signal,
      progress: (_: number, message: string) => void said.push(message),
    },
  };
};
