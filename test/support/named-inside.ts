import { execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../local-bridge/lib/processes.ts';
import type { GatewayAsked } from './gateway-main.ts';
import { TEST_OWNER_KEY_HASH } from './owner-key.ts';
import { PROJECT } from './up.ts';

/** A name that no list of local names has, and that leads to this computer. */
export const NAME = 'pages.bowline-inside.com';

/** Other addresses of this computer, each with a name. */
export const OTHERS = ['127.0.0.1', '0.0.0.0', '::1', '::', '::ffff:127.0.0.1'].map((address, i) => {
  return { address, name: `other-${i}.bowline-inside.com` };
});

/** Something on this computer, at the ports that web pages are on. It writes down who connects, and says nothing. */
export interface Inside {
  readonly address: string;
  readonly connections: number[];
  close(): Promise<void>;
}

export async function startInside(): Promise<Inside> {
  // Tests that run at once have an address each.
  const address = ['127', ...Array.from({ length: 3 }, () => randomInt(1, 255))].join('.');
  const connections: number[] = [];
  const servers = [80, 443].map((port) =>
    createServer((socket) => {
      connections.push(port);
      socket.destroy();
    }).listen(port, address),
  );
  await Promise.all(servers.map((server) => once(server, 'listening')));
  return {
    ...{ address, connections },
    close: async () => {
      for (const server of servers) server.close();
      await Promise.all(servers.map((server) => once(server, 'close')));
    },
  };
}

/** Why this computer cannot show it: the low ports and a hosts file of the test's own are needed. */
export async function whyNotHere(): Promise<string | undefined> {
  try {
    execFileSync('unshare', ['-rm', 'mount', '--bind', '/dev/null', '/etc/hosts'], { stdio: 'ignore' });
  } catch {
    return 'no mount namespace can be made here';
  }
  try {
    await (await startInside()).close();
  } catch {
    return 'ports 80 and 443 cannot be listened on here';
  }
  return undefined;
}

/** Starts the gateway where `NAME` leads to an address of this computer. */
export async function startWhereNamed(
  address: string,
  vars: GatewayAsked['vars'],
  under: GatewayAsked['under'] = 'npm start',
) {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-named-'));
  const hosts = join(folder, 'hosts');
  const named = [{ address: '127.0.0.1', name: 'localhost' }, { address, name: NAME }, ...OTHERS];
  writeFileSync(hosts, named.map((one) => `${one.address} ${one.name}\n`).join(''));
  const port = await freePort(0);
  const url = `http://localhost:${port}`;
  const options: GatewayAsked = {
    ...{ port, under, names: [NAME], stateFolder: join(folder, 'state') },
    vars: { PUBLIC_URL: url, OWNER_KEY_HASH: TEST_OWNER_KEY_HASH, ...vars },
  };
  const script = 'mount --bind "$1" /etc/hosts && exec "$2" "$3" "$4"';
  const program = join(PROJECT, 'test', 'support', 'gateway-main.ts');
  const words = ['-rm', 'sh', '-c', script, 'sh', hosts, process.execPath, program, JSON.stringify(options)];
  const child = spawn('unshare', words, { cwd: PROJECT, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const ready = once(createInterface(child.stdout), 'line');
  const first = await Promise.race([ready, ended.then(() => undefined)]);
  if (!first) throw new Error('The gateway did not start.');
  return {
    url,
    /** What the name leads to, for programs where the gateway runs. */
    leadsTo: (JSON.parse(String(first[0])) as string[])[0],
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
