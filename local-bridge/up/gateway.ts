import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CliError } from '../exit.ts';
import type { GatewayAsked } from './gateway-process.ts';
import { endGroup, signalGroup } from './processes.ts';
import { cloneFolder, QUIET, wranglerProgram } from './wrangler.ts';

/** Longer than any start seen, short enough that a person still waits. */
const START_TIMEOUT_MS = 120_000;
const LOG_LINES_SHOWN = 12;

export interface Gateway {
  readonly url: string;
  /** Resolves once it answers; rejects with what it last said if it does not. */
  readonly ready: Promise<void>;
  /** Resolves when the gateway's process has ended, by itself or not. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
  /** Ends it at once, from a place that cannot wait. */
  kill(): void;
  /** The last lines it printed. */
  tail(): string;
}

/** Starts the Worker under wrangler's local runtime, for this computer alone. */
export function startGateway(options: {
  readonly port: number;
  readonly stateFolder: string;
  readonly vars?: Readonly<Record<string, string>>;
  /** More of them, in a file, for those that nobody else may see. */
  readonly envFile?: string;
  /** Another Worker than this clone's own. */
  readonly config?: string;
}): Gateway {
  const project = cloneFolder();
  const { port, stateFolder, vars = {}, config = join(project, 'wrangler.toml'), envFile } = options;
  const logFolder = join(stateFolder, 'logs');
  mkdirSync(logFolder, { recursive: true });
  // Only for what it says where the runtime is missing.
  wranglerProgram();
  const asked: GatewayAsked = {
    ...{ config, port, vars },
    address: '127.0.0.1',
    persistTo: join(stateFolder, 'gateway'),
    ...(envFile ? { envFile } : {}),
  };
  const program = join(import.meta.dirname, 'gateway-process.ts');
  const child = spawn(process.execPath, [program, JSON.stringify(asked)], {
    cwd: project,
    // A group of its own, so that Ctrl-C reaches us first and the whole group can be ended together.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...QUIET, WRANGLER_LOG_PATH: logFolder },
  });
  const tail = keepLog(child, join(logFolder, 'gateway.log'));
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const url = `http://localhost:${port}`;
  return {
    url,
    ready: untilItAnswers(url, ended, tail),
    ended,
    stop: () => endGroup(child),
    kill: () => child.pid !== undefined && signalGroup(child.pid, 'SIGKILL'),
    tail,
  };
}

async function untilItAnswers(url: string, ended: Promise<void>, tail: () => string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let gone = false;
  void ended.then(() => {
    gone = true;
  });
  while (!gone && Date.now() < deadline) {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) }).catch(
      () => undefined,
    );
    if (response?.ok) return;
    await wait(50);
  }
  const what = gone ? 'stopped while it was starting' : 'did not start';
  throw new CliError(`The gateway ${what}. It last said:`, tail() || '(nothing)');
}

/** Sends what the child prints to a file, and remembers the end of it for error messages. */
export function keepLog(child: ChildProcess, path: string): () => string {
  const file = createWriteStream(path, { flags: 'w', mode: 0o600 });
  let kept = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      file.write(text);
      kept = (kept + text).slice(-8_192);
    });
  }
  return () => kept.trimEnd().split('\n').slice(-LOG_LINES_SHOWN).join('\n  ');
}
