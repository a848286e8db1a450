import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { errorText } from '../../../src/core/error-text.ts';
import { dropJournal } from '../../agent/link/drop-journal.ts';
import { defaultMachineName } from '../../agent/pairing/default-name.ts';
import { checkKeyIsThere } from '../../agent/pairing/machine-key.ts';
import { pairMachine } from '../../agent/pairing/pair.ts';
import { settingsFile } from '../../agent/policy/settings.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { bowlineHome } from '../../lib/home.ts';
import type { OwnerSession } from '../../lib/owner-client.ts';
import { endGroup, signalGroup } from '../../lib/processes.ts';
import { BOWLINE, LEAN } from '../../lib/project.ts';
import { keepLog } from './keep-log.ts';

const ONLINE_TIMEOUT_MS = 20_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A bridge that ran this long did not fail because of how it was started. */
const STABLE_MS = 60_000;
const machinesShape = z.object({ machines: z.array(z.object({ name: z.string() })) });

/** The bridge of this computer, a process of its own beside the gateway. */
export interface LocalBridge {
  readonly machine: { readonly id: string; readonly name: string };
  /** Resolves once it says that it is connected. Rejects with its last words if it fails. */
  readonly online: Promise<void>;
  /** Resolves when the owner revoked it. A bridge that fails or is killed is started again. */
  readonly shutOut: Promise<'shut_out'>;
  /** Tells what happens to it from now on. */
  follow(say: (line: string) => void): void;
  stop(): Promise<void>;
  /** Ends it at once, from a place that cannot wait. */
  kill(): void;
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
  checkKeyIsThere(home);
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
  return {
    machine,
    ...keepBridge((alarm) => spawnBridge(home, root, stateFolder, closed, alarm), join(home, 'link')),
  };
}

/** A bridge's process. */
type Spawned = ReturnType<typeof spawnBridge>;

/** Starts a bridge, and another one whenever it ends by itself, after a pause that grows. */
function keepBridge(
  spawnOther: (alarm: (line: string) => void) => Spawned,
  journal: string,
): Omit<LocalBridge, 'machine'> {
  const { promise: shutOut, resolve } = Promise.withResolvers<'shut_out'>();
  let say: (line: string) => void = () => undefined;
  // The first come before anybody listens.
  const unheard: string[] = [];
  let alarm: (line: string) => void = (line) => unheard.push(line);
  const spawnOne = () => spawnOther((line) => alarm(line));
  let isStopped = false;
  let current = spawnOne();
  const { promise: online, resolve: isOnline, reject: isNot } = Promise.withResolvers<void>();
  let pause = FIRST_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  const watch = (bridge: Spawned, startedAt: number) => {
    bridge.online.then(isOnline, async (error: unknown) => {
      if ((await Promise.race([bridge.ended, undefined])) !== EXIT.copied) isNot(error);
    });
    void bridge.ended.then((code) => {
      if (isStopped) return;
      if (code === EXIT.approval) return resolve('shut_out');
      // The state folder is a copy, or was put back to an older state, with the gateway in it.
      if (code === EXIT.copied) dropJournal(journal);
      if (performance.now() - startedAt > STABLE_MS) pause = FIRST_PAUSE_MS;
      say(
        `The bridge stopped by itself. It starts again in ${pause / 1_000} s. It last said:\n  ${bridge.tail()}`,
      );
      timer = setTimeout(again, pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
    });
  };
  const again = () => {
    current = spawnOne();
    current.online.then(
      () => say('The bridge is back.'),
      (error: unknown) => say(errorText(error)),
    );
    watch(current, performance.now());
  };
  watch(current, performance.now());
  return {
    online,
    shutOut,
    follow: (heard) => {
      say = heard;
      alarm = heard;
      for (const line of unheard.splice(0)) heard(line);
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await current.stop();
    },
    kill: () => {
      isStopped = true;
      current.kill();
    },
  };
}

function spawnBridge(
  home: string,
  root: string,
  stateFolder: string,
  more: readonly string[],
  alarm: (line: string) => void,
) {
  const { BOWLINE_OWNER_KEY: _key, BOWLINE_TOKEN: _token, ...environment } = process.env;
  // The owner's settings hold here too. Only key, journal and status belong to this gateway.
  const args = ['connect', '--root', root, '--settings', settingsFile(bowlineHome()), '--no-approvals'];
  // The owner's key is in one of them.
  const closed = [bowlineHome(), stateFolder, ...more];
  args.push(...closed.flatMap((path) => ['--closed', path]));
  const child = spawn(process.execPath, [...LEAN, BOWLINE, ...args], {
    // In a group of its own, so that Ctrl-C reaches us first and the bridge is asked to finish what runs.
    detached: true,
    // The channel closes with this process, even if somebody kills it; the bridge then leaves as well.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...environment, BOWLINE_HOME: home, NO_COLOR: '1' },
  });
  const tail = keepLog([child.stdout, child.stderr], join(stateFolder, 'logs', 'bridge.log'));
  // Nobody reads a log for what must not be missed.
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('ALARM ')) alarm(line);
    });
  }
  const ended = new Promise<number | null>((done) => {
    child.once('exit', done);
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
