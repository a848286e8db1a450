import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Run } from './process-tree.ts';
import { follow } from './reaper.ts';
import type { Order } from './warden.ts';

/** Ends everything that a command started, at the latest with the bridge. */
export interface Warden {
  /**
   * Registers a run before its command starts. From here on the run ends with the bridge. Set `track` if a process
   * could leave its family.
   */
  register(mark: string, track: boolean): void;
  /** Learns the process id once the command has started. */
  started(mark: string, pid: number): void;
  /** Asks every process of the run to stop. */
  ask(mark: string): void;
  /** Kills every process of the run. Gives the ids of those that did not end. */
  end(mark: string): Promise<readonly number[]>;
  /** The helper's process id, for callers that watch over processes. */
  readonly pid: number | undefined;
  /** Ends what is left, and then the helper. */
  close(): Promise<void>;
}

interface Helper {
  readonly child: ChildProcess;
  send(order: Order): void;
  close(): Promise<void>;
}

/**
 * Starts the helper process with the first command, and again if somebody kills it. Removes `temporary` with the last
 * command.
 */
export function openWarden(temporary: string): Warden {
  const runs = new Map<string, Run & { track: boolean }>();
  const waiting = new Map<string, (left: readonly number[]) => void>();
  let helper: Helper | undefined;

  const own = (mark: string) => follow(() => runs.get(mark) ?? { mark }, new Set([process.pid]));
  const settle = (mark: string, left: readonly number[]) => {
    runs.delete(mark);
    waiting.get(mark)?.(left);
    waiting.delete(mark);
  };
  const lost = (lived: number) => {
    helper = undefined;
    // End here what the lost helper was asked to end.
    for (const mark of waiting.keys())
      void own(mark)
        .end()
        .then((left) => settle(mark, left));
    const open = [...runs.keys()].filter((mark) => !waiting.has(mark));
    // If the helper could not even start, try it again with the next order, to avoid a loop.
    if (open.length > 0 && lived > 1_000) current();
  };
  const announce = ({ send }: Helper, mark: string) => {
    const run = runs.get(mark);
    if (run) send({ run: mark, track: run.track, ...(run.pid === undefined ? {} : { pid: run.pid }) });
  };
  const current = () => {
    if (helper) return helper;
    helper = startHelper(temporary, settle, lost);
    for (const mark of runs.keys()) announce(helper, mark);
    return helper;
  };

  return {
    register: (mark, track) => {
      runs.set(mark, { mark, track });
      announce(current(), mark);
    },
    started: (mark, pid) => {
      const run = runs.get(mark);
      if (run) runs.set(mark, { ...run, pid });
      announce(current(), mark);
    },
    ask: (mark) => current().send({ ask: mark }),
    end: (mark) => {
      const { promise, resolve } = Promise.withResolvers<readonly number[]>();
      waiting.set(mark, resolve);
      current().send({ end: mark });
      // The helper's pipes do not keep this program alive, but a promise about the helper must.
      const alive = setInterval(() => undefined, 60_000);
      return promise.finally(() => clearInterval(alive));
    },
    get pid() {
      return helper?.child.pid;
    },
    close: async () => {
      // The helper ends all commands when its input ends.
      const last = helper;
      helper = undefined;
      if (last) await last.close();
    },
  };
}

function startHelper(
  temporary: string,
  ended: (mark: string, left: readonly number[]) => void,
  lost: (livedMs: number) => void,
): Helper {
  const since = performance.now();
  const { promise: gone, resolve: leave } = Promise.withResolvers<void>();
  const child = spawn(
    process.execPath,
    ['--no-warnings', fileURLToPath(new URL('./warden.ts', import.meta.url)), temporary],
    {
      // Give it a session of its own: a signal to the bridge's group must not end the helper that cleans up after it.
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {},
    },
  );
  const { stdin, stdout } = child;
  // Ignore a failed write: the helper's exit shows that it is gone.
  stdin.on('error', () => undefined);
  child.on('error', () => leave());
  child.once('exit', () => leave());
  createInterface({ input: stdout }).on('line', (line) => {
    const { ended: mark, left } = JSON.parse(line) as { ended: string; left: number[] };
    ended(mark, left);
  });
  // The helper must not keep alive a program that has nothing else to do.
  child.unref();
  for (const pipe of [stdin, stdout]) if ('unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  let closing = false;
  void gone.then(() => {
    if (!closing) lost(performance.now() - since);
  });
  return {
    child,
    send: (order) => void stdin.write(`${JSON.stringify(order)}\n`),
    close: () => {
      closing = true;
      child.ref();
      stdin.end();
      return gone;
    },
  };
}
