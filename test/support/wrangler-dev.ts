import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { QUIET } from '../../local-bridge/local/up/wrangler.ts';

/** Runs `npx wrangler dev` in a clone. */
export function wranglerDev(clone: string, words: readonly string[]) {
  const logs = join(clone, '.wrangler');
  const child = spawn('npx', ['wrangler', 'dev', '--inspector-port', '0', ...words], {
    cwd: clone,
    env: { ...process.env, ...QUIET, WRANGLER_LOG_PATH: logs, WRANGLER_REGISTRY_PATH: logs },
    // Its own group, to end the runtime with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const ended = once(child, 'close');
  const ready = new Promise<void>((done, fail) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (said.includes('Ready on')) done();
      });
    }
    void ended.then(() => fail(new Error(`wrangler dev ended:\n${said}`)));
  });
  // A test may only wait for the end.
  ready.catch(() => undefined);
  const end = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
  };
  return {
    pid: child.pid,
    ready,
    /** Everything that it printed. */
    said: () => said,
    ended: ended.then(() => child.exitCode),
    stop: async () => {
      end('SIGTERM');
      await ended;
    },
    kill: () => end('SIGKILL'),
  };
}
