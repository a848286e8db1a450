import { spawn } from 'node:child_process';
import { join } from 'node:path';
import * as z from 'zod';
import { defaultMachineName } from '../../agent/pairing/default-name.ts';
import { pairMachine } from '../../agent/pairing/pair.ts';
import { settingsFile } from '../../agent/policy/settings.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { bowlineHome } from '../../lib/home.ts';
import type { OwnerSession } from '../../lib/owner-client.ts';
import { endGroup, signalGroup } from '../../lib/processes.ts';
import { BOWLINE } from '../../lib/project.ts';
import { keepLog } from './gateway.ts';

const ONLINE_TIMEOUT_MS = 20_000;
const machinesShape = z.object({ machines: z.array(z.object({ name: z.string() })) });

/** The bridge of this computer, a process of its own beside the gateway. */
export interface LocalBridge {
  readonly machine: { readonly id: string; readonly name: string };
  /** Resolves once it says that it is connected. Rejects with its last words if it fails. */
  readonly online: Promise<void>;
  /** Tells how it left by itself: the owner revoked it, or it failed. */
  readonly ended: Promise<'shut_out' | 'died'>;
  stop(): Promise<void>;
  /** Ends it at once, from a place that cannot wait. */
  kill(): void;
  tail(): string;
}

/** Pairs this computer like any machine, with the owner confirming, and starts its bridge. */
export async function startLocalBridge(options: {
  readonly url: string;
  readonly stateFolder: string;
  readonly root: string;
  readonly owner: Pick<OwnerSession, 'call'>;
  /** Paths that stay closed to tools and commands, besides the state folder and the user's own Bowline folder. */
  readonly closed: readonly string[];
}): Promise<LocalBridge> {
  const { url, stateFolder, root, owner, closed } = options;
  const home = join(stateFolder, 'machine');
  const { machines } = machinesShape.parse(await owner.call('GET', 'machines'));
  const machine = await pairMachine({
    url,
    home,
    name: freeName(
      defaultMachineName(),
      machines.map(({ name }) => name),
    ),
    onCode: async ({ code, fingerprint }) =>
      void (await owner.call('POST', `machines/pair/${code}`, { decision: 'confirm', fingerprint })),
  });
  return { machine, ...spawnBridge(home, root, stateFolder, closed) };
}

function spawnBridge(
  home: string,
  root: string,
  stateFolder: string,
  more: readonly string[],
): Omit<LocalBridge, 'machine'> {
  const { BOWLINE_OWNER_KEY: _key, BOWLINE_TOKEN: _token, ...environment } = process.env;
  // The owner's settings hold here too. Only key, journal and status belong to this gateway.
  const args = ['connect', '--root', root, '--settings', settingsFile(bowlineHome()), '--no-approvals'];
  // The owner's key is in one of them.
  const closed = [bowlineHome(), stateFolder, ...more];
  args.push(...closed.flatMap((path) => ['--closed', path]));
  const child = spawn(process.execPath, [BOWLINE, ...args], {
    // In a group of its own, so that Ctrl-C reaches us first and the bridge is asked to finish what runs.
    detached: true,
    // The channel closes with this process, even if somebody kills it; the bridge then leaves as well.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...environment, BOWLINE_HOME: home, NO_COLOR: '1' },
  });
  const tail = keepLog([child.stdout, child.stderr], join(stateFolder, 'logs', 'bridge.log'));
  const ended = new Promise<'shut_out' | 'died'>((done) => {
    child.once('exit', (code) => done(code === EXIT.approval ? 'shut_out' : 'died'));
  });
  return {
    online: untilOnline(child.stdout, ended, tail),
    ended,
    stop: () => endGroup(child),
    kill: () => child.pid !== undefined && signalGroup(child.pid, 'SIGKILL'),
    tail,
  };
}

async function untilOnline(
  stdout: NodeJS.ReadableStream | null,
  ended: Promise<unknown>,
  tail: () => string,
): Promise<void> {
  const { promise: online, resolve: isOnline } = Promise.withResolvers<true>();
  stdout?.on('data', () => {
    if (tail().includes('● online')) isOnline(true);
  });
  const limit = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => limit.resolve(undefined), ONLINE_TIMEOUT_MS);
  const first = await Promise.race([online, ended, limit.promise]);
  clearTimeout(timer);
  if (first === true) return;
  throw new CliError('The bridge of this computer did not connect. It last said:', tail() || '(nothing)');
}

/** Finds the first of `mini`, `mini-2`, … that no machine has. */
function freeName(wanted: string, taken: readonly string[]): string {
  const names = new Set(taken.map((name) => name.toLowerCase()));
  for (let at = 1; ; at++) {
    const name = at === 1 ? wanted : `${wanted.slice(0, 60)}-${at}`;
    if (!names.has(name.toLowerCase())) return name;
  }
}
