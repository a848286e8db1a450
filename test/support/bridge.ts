import { type ChildProcess, spawn } from 'node:child_process';
import { BOWLINE, PROJECT } from './up.ts';
import { type WatchedOutput, watchOutput } from './watch-output.ts';

export interface Running extends WatchedOutput {
  readonly child: ChildProcess;
  /** Sends a signal and gives the code it ends with. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `bowline` as a program of its own that goes on running. */
export function startBowline(args: readonly string[], env: Readonly<Record<string, string>>): Running {
  const child = spawn('node', [BOWLINE, ...args], {
    cwd: PROJECT,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const watched = watchOutput(child);
  return {
    ...watched,
    child,
    end: (signal = 'SIGTERM') => {
      child.kill(signal);
      return watched.ended;
    },
  };
}
