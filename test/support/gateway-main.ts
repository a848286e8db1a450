import { spawn } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { startGateway } from '../../local-bridge/local/up/gateway.ts';
import { QUIET, wranglerProgram } from '../../local-bridge/local/up/wrangler.ts';
import { PROJECT } from './up.ts';

export interface GatewayAsked {
  readonly port: number;
  readonly stateFolder: string;
  readonly vars: Readonly<Record<string, string>>;
  /** Resolved where the gateway runs. */
  readonly names: readonly string[];
  /** What runs it. */
  readonly under: 'npm start' | 'wrangler dev';
}

// A gateway as a process of its own, for tests that start it where names lead elsewhere. It prints one line of JSON
// once the gateway answers: the address that each of the names leads to there.
const asked = JSON.parse(process.argv[2] ?? '') as GatewayAsked;
const gateway = asked.under === 'npm start' ? startGateway(asked) : wranglerDev(asked);
process.once('SIGTERM', () => void gateway.stop().then(() => process.exit(0)));
process.once('exit', () => gateway.kill());
await gateway.ready;
const resolved = await Promise.all(asked.names.map(async (name) => (await lookup(name)).address));
console.log(JSON.stringify(resolved));

function wranglerDev({ port, stateFolder, vars }: GatewayAsked) {
  const named = Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`]);
  const words = [
    'dev',
    '--port',
    String(port),
    '--inspector-port',
    '0',
    '--persist-to',
    stateFolder,
    ...named,
  ];
  const child = spawn(process.execPath, [wranglerProgram(), ...words], {
    cwd: PROJECT,
    env: {
      ...{ ...process.env, ...QUIET, BOWLINE_WRANGLER_DEV: 'open' },
      ...{ WRANGLER_LOG_PATH: stateFolder, WRANGLER_REGISTRY_PATH: stateFolder },
    },
    // Its own group, to end the runtime with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
  };
  const ended = once(child, 'exit');
  return {
    ready: new Promise<void>((done) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (text.includes('Ready on')) done();
      });
    }),
    stop: async () => {
      end('SIGTERM');
      await ended;
    },
    kill: () => end('SIGKILL'),
  };
}
