import { homedir } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';
import * as z from 'zod';
import type { PreparedCall } from '../../../src/core/prepared-call.ts';
import { VERSION } from '../../../src/core/version.ts';
import { visible, visibleLine } from '../../../src/core/visible.ts';
import type { ShownPreview } from '../../../src/gate/messages.ts';
import { type Link, type LinkState, startLink } from '../../agent/link/link.ts';
import { withPreviews } from '../../agent/link/preview.ts';
import { type Machine, openMachine } from '../../agent/machine.ts';
import type { PairedMachine } from '../../agent/pairing/machine-file.ts';
import type { MachineKey } from '../../agent/pairing/machine-key.ts';
import { machineDoor, type SaidHere } from '../../agent/policy/door.ts';
import type { Root } from '../../agent/policy/roots.ts';
import type { BridgeSettings } from '../../agent/policy/settings.ts';
import { askHere } from '../../agent/prompt/ask-here.ts';
import type { Prompt } from '../../agent/prompt/questions.ts';
import { followServers } from '../../agent/servers/follow.ts';
import { type JoinedServers, joinStdioServers } from '../../agent/servers/join.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { localTime } from '../../lib/local-time.ts';
import { sandboxOf } from '../../tools/terminal/sandbox-name.ts';
import type { TerminalStatus } from '../../tools/terminal/terminal.ts';
import { watchMemory } from '../memory/watch.ts';
import { clearStatus, keepBeating, writeStatus } from './status-file.ts';

interface Bridge {
  readonly home: string;
  readonly machine: PairedMachine;
  readonly key: MachineKey;
  readonly roots: readonly Root[];
  readonly settings: BridgeSettings;
  /** The file of the settings, if it is another than the home's own. */
  readonly settingsFile?: string | undefined;
  /** Folders of a gateway beside it, which stay closed to every tool. */
  readonly closed: readonly string[];
  /** The terminal, if there is somebody to ask. */
  readonly prompt: Prompt | undefined;
}

/** Keeps the machine connected until it is told to stop, or the owner revokes it. */
export async function runBridge(bridge: Bridge): Promise<void> {
  const { home, machine, key, roots, settings, closed, prompt } = bridge;
  const opened = await openMachine({ home, roots, settings, closed });
  const say = (line: string) => (prompt ? prompt.say(line) : console.log(line));
  let online: Link | undefined;
  const joined = await orClose(opened, () =>
    joinStdioServers(settings.servers, { changed: () => online?.greetAnew() }),
  );
  const both = { close: () => Promise.all([opened.close(), joined.close()]) };
  const link = await orClose(both, () =>
    startLink({
      url: machine.gateway,
      machine,
      sign: key.sign,
      tools: toolsOf(bridge, opened, joined),
      about: {
        ...{ roots, version: VERSION, servers: joined.announced },
        sandbox: () => sandboxOf(opened.terminal.status()),
      },
      folder: join(home, 'link'),
      log: (message, error) => console.error(`[${message}]`, error ?? ''),
    }),
  );
  const memory = watchMemory(
    { gateway: machine.gateway, machine: machine.id, sign: key.sign, home, fetch, now: Date.now },
    (what) => say(`${styleText('red', 'ALARM')} ${what} Look with \`bowline memory verify\`.`),
    (error) => console.error('[memory]', error instanceof Error ? error.message : error),
  );
  const beats = keepBeating(home);
  const following = followServers({ home, file: bridge.settingsFile, settings, joined, say });
  try {
    const { promise: refused, reject: refuse } = Promise.withResolvers<never>();
    const heard = (state: LinkState) => {
      // First the file: a script that waits for this line may read the file next.
      showStatus(bridge, state);
      say(
        lineOf(state, machine, [
          ...roots.map(({ path }) => shortPath(path)),
          terminalIn(opened.terminal.status()),
        ]),
      );
      if (state.is === 'online') memory.look();
      if (state.is === 'refused') refuse(shutOut(machine, state.why));
      if (state.is === 'copied') refuse(copied(bridge));
      if (state.is === 'offline') {
        void isUnknown(machine).then((unknown) => {
          if (unknown) refuse(shutOut(machine, 'it is not paired there'));
        });
      }
    };
    online = link;
    link.onState(heard);
    heard(link.state);
    await Promise.race([stopSignal(), refused]);
    await link.drain();
  } finally {
    beats.stop();
    following.stop();
    memory.stop();
    link.stop();
    await both.close();
    clearStatus(home);
    // An open channel to `bowline up` would keep this process alive with nothing left to do.
    process.channel?.unref();
  }
}

/** Stores the bridge's status. If that fails, as on a full disk, the bridge continues. */
function showStatus({ home, machine, roots }: Bridge, { is, since }: LinkState): void {
  const { gateway, name } = machine;
  try {
    writeStatus(home, {
      ...{ pid: process.pid, gateway, machine: name, state: is, since },
      ...{ version: VERSION, roots: [...roots], beats: true },
    });
  } catch (error) {
    console.error('[status]', error instanceof Error ? error.message : error);
  }
}

/** Starts something that may fail, and closes everything if it does. */
async function orClose<T>(opened: { close(): Promise<unknown> }, start: () => T | Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Lists what the gateway may use on this machine: the machine tools, behind the machine's own policy. */
function toolsOf({ machine, settings, prompt }: Bridge, opened: Machine, joined: JoinedServers) {
  const ask = async (call: PreparedCall, shown: ShownPreview): Promise<SaidHere> =>
    prompt ? askHere(call, shown, machine.name, prompt) : { said: 'nobody' };
  const door = machineDoor(
    { machine: machine.name, deny: settings.deny, ask: settings.ask },
    { askHere: ask, report: (error, callId) => console.error(`[${callId}]`, error) },
  );
  return withPreviews(machine.id, door, (preview) =>
    joined.tools(door, new Map([...opened.tools(door), ...opened.innerTools(door), ...preview])),
  );
}

/** Resolves at the first signal that means "stop". A second one ends the process at once. */
async function stopSignal(): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  await new Promise<void>((done) => {
    for (const signal of signals) process.once(signal, () => done());
    // `bowline up` holds a channel open as long as it lives, however it ends.
    process.once('disconnect', () => done());
  });
  for (const signal of signals) process.on(signal, () => process.exit(EXIT.failed));
}

/** Asks the gateway over HTTP whether it knows the machine, because a failed dial does not say why. */
async function isUnknown({ gateway, id }: PairedMachine): Promise<boolean> {
  try {
    const response = await fetch(`${gateway}/link?machine=${id}`, { signal: AbortSignal.timeout(10_000) });
    const answer = z.object({ code: z.literal('unknown_machine') }).safeParse(await response.json());
    return response.status === 404 && answer.success;
  } catch {
    // Out of reach, or not answering like a gateway: nothing is known, and the link tries again.
    return false;
  }
}

/** Describes the bridge in a line, with what it opens once it is online. */
function lineOf(
  { is, since, why }: LinkState,
  { name, gateway }: PairedMachine,
  opens: readonly string[],
): string {
  const at = styleText('dim', localTime(since).slice(11));
  const words = {
    online: [`online: ${name} serves ${gateway}`, ...opens].join(' · '),
    connecting: `connecting to ${gateway}`,
  };
  const said = is === 'online' || is === 'connecting' ? words[is] : is;
  const color = is === 'online' ? 'green' : is === 'refused' || is === 'copied' ? 'red' : 'yellow';
  return `${at} ${styleText(color, '●')} ${said}${why ? ` (${visible(why, 300)})` : ''}`;
}

/** Writes a path as people do, with `~` for their home. */
function shortPath(path: string): string {
  const home = homedir();
  return visibleLine(path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}

function terminalIn({ on, sandboxed }: TerminalStatus): string {
  if (!on) return 'terminal off';
  return sandboxed ? 'terminal sandboxed' : 'terminal without a sandbox';
}

function shutOut({ gateway, name }: PairedMachine, why: string | undefined): CliError {
  return new CliError(
    `${gateway} does not let ${name} in${why ? `: ${visible(why, 300)}` : ''}.`,
    'If it was revoked by mistake, pair it again with `bowline pair`.',
    EXIT.approval,
  );
}

function copied({ machine, home }: Bridge): CliError {
  return new CliError(
    `Another copy of ${machine.name} has connected to ${machine.gateway} after this one. ${home} is a copy of that computer's folder, or an older state of it.`,
    `To make this computer the machine, run \`bowline pair --replace\`. The other copy then stops. To have both, move machine.json and machine-key in ${home} away, and run \`bowline pair\` under another name.`,
    EXIT.copied,
  );
}
