import type { BigIntStats } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Input } from '../../../contracts/contract.ts';
import type { watch } from '../../../contracts/watch.ts';
import type { Refusal } from '../../../src/core/call.ts';
import type { Call, Handler } from '../../../src/core/handler.ts';
import { stateOf } from '../../../src/core/preview.ts';
import type { MachineHandlers } from '../machine-handlers.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Disk } from '../workspace/disk.ts';
import { identityOf, type Root } from '../workspace/held.ts';
import { shown } from '../workspace/path-rules.ts';
import { isRefusal, type WorkspaceRefusal } from '../workspace/refusal.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The means for waiting. */
interface WatchPorts {
  readonly workspace: Pick<Workspace, 'root' | 'file' | 'folder'>;
  readonly disk: Disk;
  readonly terminal: Pick<Terminal, 'status'>;
}

const LOOK_EVERY_MS = 250;
const CONNECT_MS = 500;
/** The most watches at once, because each opens its file four times a second. */
const MAX_WATCHES = 16;
/** The most of them for one caller, so that nobody keeps the others from waiting. */
const MAX_OF_ONE = 8;
const HERE = ['127.0.0.1', '::1'];
/** Names in `terminal.network` that let commands reach this machine. */
const OWN_NAMES = new Set(['localhost', ...HERE]);

/** The present state of a thing. */
interface Standing {
  readonly exists: boolean;
  readonly state: string;
}

const ABSENT: Standing = { exists: false, state: 'none' };

/** The principals that wait, each as often as it does. */
const waiting: string[] = [];

const watchOne: Handler<typeof watch, WatchPorts> = async (input, call, ports) => {
  const started = performance.now();
  const root = ports.workspace.root(input.root);
  if (isRefusal(root)) return refused(root, call);
  const { port, path = '.' } = input;
  if (port !== undefined && !maySee(ports.terminal)) return call.fail('port_closed');
  const { principal } = call.caller;
  if (waiting.length >= MAX_WATCHES || waiting.filter((who) => who === principal).length >= MAX_OF_ONE)
    return call.fail('too_many_watches');
  waiting.push(principal);
  try {
    const look = () => (port === undefined ? fileNow(root, path, ports) : portNow(port));
    const end = await settled(look, input, call.signal);
    if (isRefusal(end)) return refused(end, call);
    const name = port === undefined ? `'${shown(path)}'` : `Port ${port}`;
    return call.ok({
      success: true,
      output: `${sentenceOf(name, end, input)}\n`,
      files_affected: [],
      execution_time_ms: Math.round(performance.now() - started),
      metadata: end,
    });
  } finally {
    waiting.splice(waiting.indexOf(principal), 1);
  }
};

type End = Standing & { readonly happened: boolean };

/** Looks again and again until the awaited event has happened or the time is up. */
async function settled(
  look: () => Standing | WorkspaceRefusal | Promise<Standing>,
  { until, since, timeout_seconds }: Input<typeof watch>,
  signal: AbortSignal,
): Promise<End | WorkspaceRefusal> {
  const giveUp = performance.now() + timeout_seconds * 1_000;
  let before = since;
  for (;;) {
    const now = await look();
    if (isRefusal(now)) return now;
    before ??= now.state;
    const happened = until === 'changes' ? now.state !== before : now.exists === (until === 'exists');
    const left = giveUp - performance.now();
    if (happened || left <= 0) return { ...now, happened };
    await wait(Math.min(LOOK_EVERY_MS, left), undefined, { signal });
  }
}

function sentenceOf(
  name: string,
  { happened, exists }: End,
  { until, timeout_seconds }: Input<typeof watch>,
) {
  if (until === 'changes' && happened) return `${name} changed, and ${exists ? 'exists' : 'is gone'}.`;
  const now = exists ? 'exists' : 'does not exist';
  return happened ? `${name} ${now}.` : `Nothing happened within ${timeout_seconds} s: ${name} ${now}.`;
}

/** Gives the present state of a file or folder. It opens it as every tool does. */
function fileNow(root: Root, path: string, { workspace, disk }: WatchPorts): Standing | WorkspaceRefusal {
  const folder = workspace.folder(root, path);
  if (!isRefusal(folder)) {
    try {
      return standingOf(folder.use((here) => disk.stat(here)));
    } finally {
      folder.close();
    }
  }
  if (folder.code === 'not_found') return ABSENT;
  const file = workspace.file(root, path, 'read');
  // The file may have gone between the two looks.
  if (isRefusal(file)) return file.code === 'not_found' ? ABSENT : file;
  try {
    return standingOf(file.stats);
  } finally {
    file.close();
  }
}

function standingOf(stats: BigIntStats): Standing {
  const state = stateOf(identityOf(stats), `${stats.size}`, `${stats.mtimeNs}`);
  return { exists: true, state: state.slice(0, 32) };
}

/** Tells whether commands of this machine could look at its ports themselves. */
function maySee({ status }: Pick<Terminal, 'status'>): boolean {
  const { network } = status();
  return network === null || network.some((name) => OWN_NAMES.has(name));
}

async function portNow(port: number): Promise<Standing> {
  const heard = await Promise.all(HERE.map((host) => answers(host, port)));
  return heard.includes(true) ? { exists: true, state: 'open' } : ABSENT;
}

function answers(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port });
  socket.setTimeout(CONNECT_MS, () => resolve(false));
  socket.once('connect', () => resolve(true));
  socket.once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

function refused({ code, message, suggestion }: WorkspaceRefusal, { fail }: Call<typeof watch>): Refusal {
  const detail = { message, ...(suggestion === undefined ? {} : { suggestion }) };
  // Part of the path above is a file, or the path itself is neither a file nor a folder.
  return fail(code === 'not_found' || code === 'not_a_directory' ? 'not_a_file' : code, detail);
}

/** Handlers by the names of their contracts. */
export const watchHandlers = { watch: watchOne } satisfies MachineHandlers;
