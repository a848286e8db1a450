import { spawn, spawnSync } from 'node:child_process';
import { BOWLINE, PROJECT } from './up.ts';
import { type WatchedOutput, watchOutput } from './watch-output.ts';

/** Whether a program can be given a real terminal here. */
export const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes(
  'util-linux',
);

export interface InTerminal extends WatchedOutput {
  type(text: string): void;
  /** Types again and again until the screen shows something, as somebody does who is not heard at first. */
  typeUntil(text: string, what: RegExp): Promise<void>;
  kill(): void;
}

/** Runs `bowline` in a real terminal of its own. */
export function inTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = PROJECT,
): InTerminal {
  return programInTerminal(['node', BOWLINE, ...args], env, { cwd });
}

/** Runs a program in a real terminal of its own. `inherited` is the environment that `env` adds to. */
export function programInTerminal(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  { cwd = PROJECT, inherited = process.env } = {},
): InTerminal {
  const command = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const child = spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
    cwd,
    env: { ...inherited, NO_COLOR: '1', SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const watched = watchOutput(child);
  return {
    ...watched,
    type: (text) => void child.stdin.write(text),
    async typeUntil(text, what) {
      const again = setInterval(() => child.stdin.write(text), 150);
      await watched.shows(what).finally(() => clearInterval(again));
    },
    // It takes what runs in its terminal with it.
    kill: () => void child.kill('SIGTERM'),
  };
}
