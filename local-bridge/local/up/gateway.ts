import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { CliError } from '../../lib/exit.ts';
import { endGroup, endWithUs, signalGroup } from '../../lib/processes.ts';
import type { Asked } from './runtime/prepare.ts';
import { cloneFolder, QUIET, workerdProgram } from './wrangler.ts';

/** Longer than any start so far, and short enough that a person still waits. */
const START_TIMEOUT_MS = 120_000;
const LOG_LINES_SHOWN = 12;

export interface Gateway {
  readonly url: string;
  /** Resolves once it answers. Rejects with its last words if it fails. */
  readonly ready: Promise<void>;
  /** Resolves when the gateway's process has ended, for whatever reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
  /** Ends it at once, from a place that cannot wait. */
  kill(): void;
  /** Gives the last lines that it printed. */
  tail(): string;
}

/** Starts the Worker under Cloudflare's own runtime, for this computer alone. */
export function startGateway(options: {
  readonly port: number;
  readonly stateFolder: string;
  readonly vars?: Readonly<Record<string, string>>;
  /** A file with more variables, for those that nobody else may see. */
  readonly envFile?: string;
  /** Another Worker in place of this clone's own: its settings and its source. */
  readonly other?: { readonly config: string; readonly entry: string };
}): Gateway {
  const { port, stateFolder, vars = {}, other, envFile } = options;
  const logFolder = join(stateFolder, 'logs');
  mkdirSync(logFolder, { recursive: true, mode: 0o700 });
  const project = cloneFolder();
  const asked: Asked = {
    config: other?.config ?? join(project, 'wrangler.toml'),
    entry: other?.entry ?? join(project, 'src', 'worker.ts'),
    ...{ port, stateFolder, vars },
    ...(envFile ? { envFile } : {}),
  };
  // Only this user may read the runtime's files, whatever this process's own setting.
  const umask = process.umask(0o077);
  const child = spawn(workerdProgram(), ['serve', '--binary', '--experimental', '-'], {
    // In a group of its own, so that Ctrl-C reaches us first.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const preparing = spawn(
    process.execPath,
    [join(import.meta.dirname, 'runtime', 'prepare.ts'), JSON.stringify(asked)],
    {
      cwd: project,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...QUIET, WRANGLER_LOG_PATH: logFolder },
    },
  );
  process.umask(umask);
  const tail = keepLog([child.stdout, child.stderr, preparing.stderr], join(logFolder, 'gateway.log'));
  // The runtime may end before it has read all of this.
  child.stdin.on('error', () => undefined);
  preparing.stdout.pipe(child.stdin, { end: false });
  preparing.once('close', (code) => (code === 0 ? child.stdin.end() : child.kill('SIGKILL')));
  const callOff = child.pid === undefined ? () => undefined : endWithUs(child.pid);
  // By then the process number may be another program's.
  child.once('exit', callOff);
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  const url = `http://localhost:${port}`;
  return {
    url,
    ready: untilItAnswers(url, ended, tail),
    ended,
    stop: async () => {
      preparing.kill();
      await endGroup(child);
    },
    kill: () => {
      preparing.kill('SIGKILL');
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    },
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

/** Sends a child's output to a file, and remembers its end for error messages. */
export function keepLog(streams: readonly (Readable | null)[], path: string): () => string {
  const file = createWriteStream(path, { flags: 'w', mode: 0o600 });
  let kept = '';
  for (const stream of streams) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      file.write(text);
      kept = (kept + text).slice(-8_192);
    });
  }
  return () => kept.trimEnd().split('\n').slice(-LOG_LINES_SHOWN).join('\n  ');
}
