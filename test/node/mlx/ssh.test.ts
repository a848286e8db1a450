import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HostUnreachable } from '../../../local-bridge/tools/mlx/host.ts';
import { mlxSettings } from '../../../local-bridge/tools/mlx/settings.ts';
import { claimModelPorts, stranger } from '../../support/model-ports.ts';
import { endGroup, type MlxRig, mlxRig, watched } from './rig.ts';

const nextPort = await claimModelPorts();
const SSHD = '/usr/sbin/sshd';
let rig: MlxRig;
beforeEach(() => {
  rig = mlxRig();
});
afterEach(() => rig.end());

describe('models on another computer', () => {
  it('are loaded, listed and unloaded through ssh, which is given two fixed words to run', async () => {
    const mlx = rig.controller({ host: 'studio' });
    const port = nextPort();
    const model = rig.download(`it's a $(touch x); "model"`);
    expect(await mlx.load(model, port, watched().watch)).toMatchObject({ kind: 'loaded' });
    expect(await mlx.list()).toMatchObject([{ host: 'studio', model, port }]);
    expect(await mlx.ask(port, '/v1/completions', `{"model":"m","prompt":"it's"}`)).toMatchObject({
      status: 200,
      body: expect.stringContaining(`it's`),
    });
    expect(await mlx.unload(port)).toMatchObject({ kind: 'unloaded' });
    const words = rig.sshLog();
    expect(words).toContain('ControlMaster=auto');
    expect(words.filter((word) => word === '--').length).toBeGreaterThan(5);
    for (const [at, word] of words.entries()) {
      if (word === '--') expect(words.slice(at + 1, at + 3)).toEqual(['studio', 'sh -s']);
    }
    expect(rig.sshLog().join('\n')).not.toContain('model');
  });

  it('are kept apart from those of this one', async () => {
    const port = nextPort();
    await rig.controller({ host: 'studio' }).load(rig.download('org/good'), port, watched().watch);
    const here = rig.controller();
    expect(await here.list()).toEqual([]);
    expect(await here.unload(port)).toMatchObject({ kind: 'not_ours' });
  });

  it('leave a port alone that something there has', async () => {
    const port = nextPort();
    const close = await stranger(port);
    rig.download('org/good');
    try {
      const mlx = rig.controller({ host: 'studio' });
      expect(await mlx.load('org/good', port, watched().watch)).toMatchObject({ kind: 'port_busy' });
    } finally {
      await close();
    }
  });

  it('are out of reach when the host is down, or ssh is missing', async () => {
    const down = rig.controller({ host: 'down' });
    await expect(down.load('m', nextPort(), watched().watch)).rejects.toThrow(HostUnreachable);
    await expect(down.load('m', nextPort(), watched().watch)).rejects.toThrow('Connection refused');
    const missing = rig.controller({ host: 'studio', ssh: ['no-such-ssh'] });
    await expect(missing.load('m', nextPort(), watched().watch)).rejects.toThrow(HostUnreachable);
    expect(rig.registry().all()).toEqual([]);
  });

  it.each(['-oProxyCommand=x', 'a b', 'a;b', '$(x)', '', 'a\nb'])('are not looked for at %j', (host) => {
    expect(() => mlxSettings({ host })).toThrow('mlx.host');
  });
});

describe.skipIf(!existsSync(SSHD))('through a real sshd on loopback', () => {
  it('a model with a hostile name is loaded, answers and is unloaded', async () => {
    const server = await startSshd(rig.home);
    try {
      const mlx = rig.controller({ host: `${userInfo().username}@127.0.0.1`, ssh: server.ssh });
      const port = nextPort();
      const model = rig.download(`-a 'b' "c" $(touch x) ;d`);
      expect(await mlx.load(model, port, watched().watch)).toMatchObject({ kind: 'loaded' });
      expect(readFileSync(join(rig.home, 'servers', `${port}.log`), 'utf8')).toContain(
        JSON.stringify(`--model=${model}`),
      );
      expect(await mlx.unload(port)).toEqual({ kind: 'unloaded', model });
      execFileSync(
        'ssh',
        [
          ...server.ssh.slice(1),
          '-O',
          'exit',
          '-o',
          `ControlPath=${join(rig.home, 'mlx', 'ssh-%C')}`,
          '--',
          `${userInfo().username}@127.0.0.1`,
        ],
        { stdio: 'ignore' },
      );
    } finally {
      server.stop();
    }
  });
});

async function startSshd(home: string) {
  const folder = join(home, 'sshd');
  mkdirSync(folder, { mode: 0o700 });
  for (const name of ['host', 'user']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
  }
  const port = await freePort();
  writeFileSync(join(folder, 'authorized_keys'), readFileSync(join(folder, 'user.pub')));
  chmodSync(join(folder, 'authorized_keys'), 0o600);
  const hub = process.env.HF_HUB_CACHE;
  const servers = process.env.BOWLINE_MLX_HOME;
  writeFileSync(
    join(folder, 'config'),
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${join(folder, 'host')}`,
      `AuthorizedKeysFile ${join(folder, 'authorized_keys')}`,
      `PidFile ${join(folder, 'pid')}`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      `SetEnv HF_HUB_CACHE=${hub} BOWLINE_MLX_HOME=${servers}`,
      '',
    ].join('\n'),
  );
  const sshd = spawn(SSHD, ['-D', '-e', '-f', join(folder, 'config')], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  sshd.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  for (const until = Date.now() + 10_000; !said.includes('listening'); await wait(20)) {
    if (Date.now() > until || sshd.exitCode !== null) throw new Error(`sshd did not start: ${said}`);
  }
  return {
    ssh: [
      ...['ssh', '-F', 'none', '-p', String(port), '-i', join(folder, 'user')],
      ...['-o', 'StrictHostKeyChecking=no', '-o', `UserKnownHostsFile=${join(folder, 'known')}`],
    ],
    stop: () => sshd.pid !== undefined && endGroup(sshd.pid),
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
