import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Run } from './process-tree.ts';
import { follow } from './reaper.ts';
import type { Order } from './warden.ts';

/** Sees to it that nothing a command started outlives it, nor the bridge. */
export interface Warden {
  /** Before the command starts: from here on it ends with the bridge. `track` if it could leave its family. */
  register(mark: string, track: boolean): void;
  /** Once it has started. */
  started(mark: string, pid: number): void;
  /** Asks every process of the run to stop. */
  ask(mark: string): void;
  /** Kills every process of the run; gives the ids of those that would not go. */
  end(mark: string): Promise<readonly number[]>;
  /** The process id of the helper, for those who watch over processes. */
  readonly pid: number | undefined;
  /** Ends what is left, and then the helper. */
  close(): Promise<void>;
}

interface Helper {
  readonly child: ChildProcess;
  send(order: Order): void;
  close(): Promise<void>;
}

/** Starts the helper process with the first command, and again should somebody kill it. `temporary` goes with the last command. */
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
    // What the helper was asked to end, the bridge ends itself.
    for (const mark of waiting.keys())
      void own(mark)
        .end()
        .then((left) => settle(mark, left));
    const open = [...runs.keys()].filter((mark) => !waiting.has(mark));
    // One that could not even start is tried again with the next order and not in a circle.
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
      // The helper's pipes keep no program alive, but a promise about it must.
      const alive = setInterval(() => undefined, 60_000);
      return promise.finally(() => clearInterval(alive));
    },
    get pid() {
      return helper?.child.pid;
    },
    close: async () => {
      // The helper ends whatever it knows of when its input does.
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
  const since = Date.now();
  const { promise: gone, resolve: leave } = Promise.withResolvers<void>();
  const child = spawn(
    process.execPath,
    ['--no-warnings', fileURLToPath(new URL('./warden.ts', import.meta.url)), temporary],
    {
      // A session of its own: what ends the bridge's group must not end the one who cleans up after it.
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {},
    },
  );
  const { stdin, stdout } = child;
  // A helper that is gone is noticed by its exit; writing to it meanwhile is no failure of its own.
  stdin.on('error', () => undefined);
  child.on('error', () => leave());
  child.once('exit', () => leave());
  createInterface({ input: stdout }).on('line', (line) => {
    const { ended: mark, left } = JSON.parse(line) as { ended: string; left: number[] };
    ended(mark, left);
  });
  // It must not keep alive a program that has nothing else to do.
  child.unref();
  for (const pipe of [stdin, stdout]) if ('unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  let closing = false;
  void gone.then(() => {
    if (!closing) lost(Date.now() - since);
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
