import { once } from 'node:events';
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { SCOPES } from '../../contracts/contract.ts';
import { CliError } from '../exit.ts';
import { bowlineHome } from '../home.ts';
import { signInAsOwner } from '../owner-client.ts';
import { detail, done } from '../print.ts';
import { type Gateway, startGateway } from '../up/gateway.ts';
import { localSecrets } from '../up/local-secrets.ts';
import { freePort } from '../up/processes.ts';
import { selfCheck } from '../up/self-check.ts';
import { takeStateFolder } from '../up/state.ts';

interface Options {
  readonly port: number;
  readonly root: string;
  readonly state?: string;
  readonly readyFile?: string;
  readonly once?: boolean;
}

export function addUpCommand(program: Command): void {
  program
    .command('up')
    .description('run Bowline on this computer: the gateway, checked through the real path')
    .option('--port <n>', 'the port to answer on; 0 for any free one', portNumber, 8787)
    .option('--root <dir>', 'the folder whose repo is served', '.')
    .option('--state <dir>', 'where everything is kept (default: `gateway` in the Bowline home)')
    .option('--ready-file <file>', 'write the addresses there, as JSON, once the self-check has passed')
    .option('--once', 'stop again after the self-check')
    .addHelpText('after', '\nExamples:\n  npm start\n  npm start -- --port 9000 --state /tmp/bowline')
    .action(up);
}

async function up(options: Options): Promise<void> {
  const root = existingFolder(options.root);
  const port = await freePort(options.port);
  const url = `http://localhost:${port}`;
  const state = takeStateFolder(resolve(options.state ?? join(bowlineHome(), 'gateway')), url);
  const readyFile = options.readyFile === undefined ? undefined : resolve(options.readyFile);
  let gateway: Gateway | undefined;
  // If this process dies for a reason nobody foresaw, its children still must not outlive it.
  process.once('exit', () => gateway?.kill());
  const stopAsked = stopSignal();
  try {
    const secrets = localSecrets(state.path);
    gateway = startGateway({
      port,
      stateFolder: state.path,
      vars: { PUBLIC_URL: url },
      envFile: secrets.envFile,
    });
    const start = await Promise.race([gateway.ready.then(() => 'ready' as const), stopAsked]);
    if (start !== 'ready') return;
    const addresses = {
      mcp: `${gateway.url}/mcp`,
      console: `${gateway.url}/`,
      rest: gateway.url,
      token: await localToken(gateway.url, secrets.ownerKey),
      owner_key: secrets.ownerKey,
      pid: process.pid,
    };
    await selfCheck(addresses.mcp, addresses.token);
    if (readyFile) writeReadyFile(readyFile, addresses);
    done('Bowline is up.');
    detail('MCP', addresses.mcp);
    detail('Console', addresses.console);
    if (secrets.isNew)
      detail('Owner key', `${secrets.ownerKey} (to sign in to the console; also in the state folder)`);
    detail('Repo', root);
    detail('State', state.path);
    if (options.once) return;
    console.log('  Ctrl-C stops it.');
    const ended = await Promise.race([stopAsked, gateway.ended.then(() => 'gateway ended' as const)]);
    if (ended)
      throw new CliError('The gateway stopped by itself. It last said:', gateway.tail() || '(nothing)');
  } finally {
    await gateway?.stop();
    // After `--once` the file is the result; otherwise it would point at a gateway that is gone.
    if (readyFile && !options.once) rmSync(readyFile, { force: true });
    state.release();
  }
}

/** Resolves at the first signal that means "stop"; a second one ends the process at once. */
async function stopSignal(): Promise<undefined> {
  await Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  return undefined;
}

/** Signs in as any owner would and makes this run's token, which takes the place of the last run's. */
async function localToken(url: string, ownerKey: string): Promise<string> {
  const owner = await signInAsOwner(url, ownerKey);
  const { secret } = await owner.createToken({ name: 'bowline up', scopes: SCOPES, days: 90, replace: true });
  await owner.signOut();
  return secret;
}

/** Readable by nobody else, and never half written. */
function writeReadyFile(path: string, content: object): void {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}

function existingFolder(path: string): string {
  const folder = resolve(path);
  if (existsSync(folder) && statSync(folder).isDirectory()) return folder;
  throw new CliError(`There is no folder ${folder}.`, 'Give --root a folder that exists.');
}

function portNumber(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a number from 0 to 65535.');
}
