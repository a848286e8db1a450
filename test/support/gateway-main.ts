import { lookup } from 'node:dns/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startGateway } from '../../local-bridge/local/up/gateway.ts';
import { copyProject, linkPackages } from './clone.ts';
import { wranglerDev } from './wrangler-dev.ts';

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
const gateway = asked.under === 'npm start' ? startGateway(asked) : underWrangler(asked);
process.once('SIGTERM', () => void gateway.stop().then(() => process.exit(0)));
process.once('exit', () => gateway.kill());
await gateway.ready;
const resolved = await Promise.all(asked.names.map(async (name) => (await lookup(name)).address));
console.log(JSON.stringify(resolved));

/** Runs it in a clone with these settings. They go into a file, because a start makes those that it does not find. */
function underWrangler({ port, stateFolder, vars }: GatewayAsked) {
  const clone = join(stateFolder, 'clone');
  copyProject(clone);
  linkPackages(clone);
  const lines = Object.entries(vars).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(clone, '.dev.vars'), lines.join(''));
  return wranglerDev(clone, ['--port', String(port), '--persist-to', stateFolder]);
}
