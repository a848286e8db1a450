import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rssOf } from '../../bench/support/workerd.ts';
import type { TestMachine } from './link-gateway.ts';
import { type WatchedOutput, watchOutput } from './watch-output.ts';

const MAIN = resolve(import.meta.dirname, 'link-bridge-main.ts');

export interface LinkBridge extends WatchedOutput {
  readonly child: ChildProcess;
  /** What every process of this machine so far did, in order. */
  runs(): string[];
  rssBytes(): number;
}

/** Starts a machine's side of the link as a process of its own, and resolves when it is online. */
export async function startLinkBridge(machine: TestMachine, url: string): Promise<LinkBridge> {
  const { id, name, folder, key } = machine;
  const runs = join(folder, 'runs');
  const settings = join(folder, 'settings.json');
  writeFileSync(settings, JSON.stringify({ url, id, name, key, folder: join(folder, 'link'), runs }));
  const child = spawn('node', [MAIN, settings], { stdio: ['ignore', 'pipe', 'pipe'] });
  const watched = watchOutput(child);
  await watched.shows(/^online$/m);
  return {
    ...watched,
    child,
    runs: () => (existsSync(runs) ? readFileSync(runs, 'utf8').trim().split('\n').filter(Boolean) : []),
    rssBytes: () => rssOf(child.pid),
  };
}
