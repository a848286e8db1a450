import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { TOKEN_SCOPES } from '../../../contracts/contract.ts';
import { errorText } from '../../../src/core/error-text.ts';
import { UP_TOKEN } from '../../../src/core/up-token.ts';
import { CliError } from '../../lib/exit.ts';
import { type OwnerSession, signInAsOwner } from '../../lib/owner-client.ts';
import { complain, detail } from '../../lib/print.ts';
import { freePort } from '../../lib/processes.ts';
import { usualState } from '../../lib/running-up.ts';
import { type LocalBridge, startLocalBridge } from '../../local/up/bridge.ts';
import { checkDatabases, noteDatabases } from '../../local/up/check-state.ts';
import { builtWorkerFolder, type Gateway, startGateway } from '../../local/up/gateway.ts';
import { localSecrets } from '../../local/up/local-secrets.ts';
import { type LocalMirror, mirrorClone } from '../../local/up/mirror.ts';
import { showProgress } from '../../local/up/progress.ts';
import { type ReadyFile, takeReadyFile } from '../../local/up/ready-file.ts';
import { showFirstSteps, showScreen, showShutOut } from '../../local/up/screen.ts';
import { selfCheck } from '../../local/up/self-check.ts';
import { offerSignIn } from '../../local/up/sign-in-key.ts';
import { takeStateFolder } from '../../local/up/state.ts';
import { cloneFolder } from '../../local/up/wrangler.ts';
import { backUpDay, backUpEachDay, isBackedUp } from '../backup/daily.ts';

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
    .description('run Bowline on this computer: the gateway and a bridge, checked through the real path')
    .option('--port <n>', 'the port to answer on; 0 for any free one', portNumber, 8787)
    .option('--root <dir>', 'the folder that is open to tools, and whose repo is served', '.')
    .option('--state <dir>', 'the folder for all data (default: `gateway` in the Bowline home)')
    .option('--ready-file <file>', 'write the addresses to this file, as JSON, after the self-check')
    .option('--once', 'stop again after the self-check')
    .addHelpText('after', '\nExamples:\n  npm start\n  npm start -- --port 9000 --state /tmp/bowline')
    .action(up);
}

async function up(options: Options): Promise<void> {
  cloneFolder();
  const root = existingFolder(options.root);
  const port = options.port === 0 ? await freePort(0) : options.port;
  const url = `http://localhost:${port}`;
  // Take the folder before the port: who starts Bowline twice should read that it runs, not that a port is taken.
  const state = takeStateFolder(resolve(options.state ?? usualState()), url);
  const progress = showProgress(process.stdout);
  const began = performance.now();
  let gateway: Gateway | undefined;
  let bridge: LocalBridge | undefined;
  let mirror: LocalMirror | undefined;
  let readyFile: ReadyFile | undefined;
  let endBackups: (() => void) | undefined;
  let endSignIn: (() => void) | undefined;
  // If this process dies unexpectedly, its children must not outlive it.
  process.once('exit', () => {
    bridge?.kill();
    gateway?.kill();
  });
  const stopAsked = stopSignal();
  try {
    await freePort(port);
    if (options.readyFile !== undefined) readyFile = takeReadyFile(options.readyFile);
    checkDatabases(state.path);
    const secrets = localSecrets(state.path);
    progress.step('Starting the gateway');
    gateway = startGateway({
      port,
      stateFolder: state.path,
      vars: { PUBLIC_URL: url },
      envFile: secrets.envFile,
      writes: state.writes,
      building: () => progress.step('Building the gateway, as after every change of its source'),
    });
    const start = await Promise.race([gateway.ready.then(() => 'ready' as const), stopAsked]);
    if (start !== 'ready') return;
    progress.step('Connecting this computer');
    const owner = await signInAsOwner(gateway.url, secrets.ownerKey);
    bridge = await startLocalBridge({
      ...{ url: gateway.url, stateFolder: state.path, root, owner },
      // Close both: the next start runs the built Worker, and the ready-file holds a token.
      closed: [builtWorkerFolder(state.path), ...(readyFile ? [readyFile.path] : [])],
    });
    const addresses = {
      mcp: `${gateway.url}/mcp`,
      console: `${gateway.url}/`,
      rest: gateway.url,
      token: await localToken(owner),
      owner_key_file: secrets.ownerKeyFile,
      pid: process.pid,
    };
    const connected = await Promise.race([bridge.online.then(() => true), stopAsked]);
    if (!connected) return;
    progress.step('Checking the whole path, as a connector uses it');
    const { id, name } = bridge.machine;
    await selfCheck(addresses.mcp, addresses.token, {
      name,
      ping: () => owner.call('POST', `machines/${id}/ping`),
    });
    noteDatabases(state.path);
    await owner.signOut();
    const { url: gatewayUrl } = gateway;
    endBackups = await backUpEachDay(
      async () => {
        if (isBackedUp(state.path, new Date())) return;
        const session = await signInAsOwner(gatewayUrl, secrets.ownerKey);
        await backUpDay(session, state.path, new Date()).finally(() => session.signOut());
      },
      (error) => complain(`No daily backup: ${errorText(error)}`),
    );
    progress.step('Mirroring the repo');
    mirror = await mirrorClone({ url: gateway.url, root, token: addresses.token });
    readyFile?.write(addresses);
    progress.end();
    showScreen({ ...addresses, root, machine: name, mirror, state: state.path });
    if (secrets.isNew) showFirstSteps(addresses.mcp, secrets.ownerKeyFile);
    detail('Ready', `after ${((performance.now() - began) / 1000).toFixed(1)} s`);
    if (options.once) return;
    endSignIn = offerSignIn(gateway.url, secrets.ownerKey);
    console.log('  Ctrl-C stops it.');
    mirror.follow((line) => console.log(line));
    bridge.follow((line) => console.log(line));
    const over = Promise.race([stopAsked, gateway.ended.then(() => 'gateway' as const)]);
    const first = await Promise.race([over, bridge.shutOut]);
    // The owner revoked the machine, or everything. The gateway continues without it.
    if (first === 'shut_out') showShutOut(name);
    if ((first === 'shut_out' ? await over : first) === 'gateway') {
      throw new CliError('The gateway stopped by itself. It last said:', gateway.tail() || '(nothing)');
    }
  } finally {
    progress.end();
    endBackups?.();
    endSignIn?.();
    await mirror?.stop();
    // Stop the bridge first: it finishes what runs, and tells the gateway that it leaves.
    await bridge?.stop();
    await gateway?.stop();
    // After `--once` the file is the result. Otherwise remove it, because it would name a gateway that is gone.
    if (!options.once) readyFile?.remove();
    state.release();
  }
  if (!options.once) console.log('Stopped.');
}

/** Resolves at the first signal that means "stop". A second one ends the process at once. */
async function stopSignal(): Promise<undefined> {
  await Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  return undefined;
}

/** Makes a token for this run through the owner's API. It replaces the last run's token. */
async function localToken(owner: OwnerSession): Promise<string> {
  const { secret } = await owner.createToken({
    name: UP_TOKEN,
    scopes: TOKEN_SCOPES,
    days: 90,
    replace: true,
  });
  return secret;
}

function existingFolder(path: string): string {
  const folder = resolve(path);
  if (existsSync(folder) && statSync(folder).isDirectory()) return folder;
  throw new CliError(`There is no folder ${folder}.`, 'Give --root a folder that exists.');
}

function portNumber(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('Give a port from 0 to 65535.');
}
