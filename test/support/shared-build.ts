import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { builtWorkerFolder } from '../../local-bridge/local/up/gateway.ts';
import { isFresh, readBuilt } from '../../local-bridge/local/up/runtime/build-note.ts';
import { QUIET } from '../../local-bridge/local/up/wrangler.ts';
import { keepBuilds } from './kept-builds.ts';
import { PROJECT } from './up.ts';

/**
 * Builds the Worker that tests share, where its sources changed. Of several programs that start at a time, each would
 * build it. If it cannot be built, the first of them says so.
 */
export async function buildShared(): Promise<void> {
  keepBuilds(process.env);
  const folder = builtWorkerFolder('');
  const note = join(folder, 'built.json');
  const built = readBuilt(note);
  if (built && isFresh(built)) return;
  const program = join(PROJECT, 'local-bridge', 'local', 'up', 'runtime', 'prepare.ts');
  const args = [join(PROJECT, 'wrangler.toml'), join(PROJECT, 'src', 'worker.ts'), folder, note];
  const umask = process.umask(0o077);
  const child = spawn(process.execPath, [program, ...args], {
    cwd: PROJECT,
    stdio: 'ignore',
    env: { ...process.env, ...QUIET },
  });
  process.umask(umask);
  await once(child, 'close');
}
