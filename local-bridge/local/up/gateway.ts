import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { errorText } from '../../../src/core/error-text.ts';
import { CliError } from '../../lib/exit.ts';
import { writePrivate } from '../../lib/private-file.ts';
import { endGroup, endWithUs, signalGroup } from '../../lib/processes.ts';
import { keepLog } from './keep-log.ts';
import { isFresh, readBuilt } from './runtime/build-note.ts';
import { runtimeConfig, type Template } from './runtime/config.ts';
import { cloneFolder, QUIET, workerdProgram } from './wrangler.ts';

/** Longer than any start so far, and short enough that a person still waits. */
const START_TIMEOUT_MS = 120_000;

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

/**
 * Gives the folder of the built Worker: in the state folder, which is closed to tools and commands, or below the folder
 * that `BOWLINE_BUILT_WORKER` names, where several states of one clone share it.
 */
export function builtWorkerFolder(stateFolder: string): string {
  const shared = process.env.BOWLINE_BUILT_WORKER;
  if (!shared) return join(stateFolder, 'worker');
  return join(resolve(shared), createHash('sha256').update(cloneFolder()).digest('hex').slice(0, 16));
}

/** Starts the Worker under Cloudflare's own runtime, for this computer alone. */
export function startGateway(options: {
  readonly port: number;
  readonly stateFolder: string;
  readonly vars?: Readonly<Record<string, string>>;
  /** A file with more variables, for those that nobody else may see. */
  readonly envFile?: string;
  /** Is told which process will write to the state folder, before it does. */
  readonly writes?: (pid: number) => void;
  /** Is called if the Worker has to be built first. */
  readonly building?: () => void;
  /** Another Worker in place of this clone's own: its settings and its source. */
  readonly other?: { readonly config: string; readonly entry: string };
}): Gateway {
  const { port, stateFolder, vars = {}, other, envFile, writes, building } = options;
  const logFolder = join(stateFolder, 'logs');
  mkdirSync(logFolder, { recursive: true, mode: 0o700 });
  const said = new PassThrough();
  const tail = keepLog([said], join(logFolder, 'gateway.log'));
  const project = cloneFolder();
  const runtime = workerdProgram();
  const modules = other ? join(stateFolder, 'worker') : builtWorkerFolder(stateFolder);
  const configFile = join(stateFolder, 'gateway.capnp');
  const asked = {
    config: other?.config ?? join(project, 'wrangler.toml'),
    entry: other?.entry ?? join(project, 'src', 'worker.ts'),
  };
  /** What runs now: the build, then the runtime. */
  let running: ChildProcess | undefined;
  let isStopped = false;
  const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number | null> => {
    // Only this user may read what they write, whatever this process's own setting.
    const umask = process.umask(0o077);
    // In a group of its own, so that Ctrl-C reaches us first.
    const child = spawn(program, args, {
      cwd: project,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
    process.umask(umask);
    running = child;
    for (const stream of [child.stdout, child.stderr]) stream.pipe(said, { end: false });
    if (child.pid !== undefined) writes?.(child.pid);
    const callOff = child.pid === undefined ? () => undefined : endWithUs(child.pid);
    // By then the process number may be another program's.
    child.once('exit', callOff);
    return new Promise((done, failed) => child.once('close', done).once('error', failed));
  };
  const serve = async () => {
    const template = await builtTemplate(modules, async (note) => {
      building?.();
      const program = join(import.meta.dirname, 'runtime', 'prepare.ts');
      const env = { ...process.env, ...QUIET, WRANGLER_LOG_PATH: logFolder };
      return (await run(process.execPath, [program, asked.config, asked.entry, modules, note], env)) === 0;
    });
    if (template === undefined || isStopped) return;
    writePrivate(configFile, runtimeConfig(template, { port, stateFolder, vars, envFile }, configFile));
    await run(runtime, ['serve', '--experimental', configFile], process.env);
  };
  const ended = serve().catch((error: unknown) => void said.write(errorText(error)));
  const url = `http://localhost:${port}`;
  // There are secrets in it, and the runtime has read it.
  const ready = untilItAnswers(url, ended, tail).finally(() => rmSync(configFile, { force: true }));
  return {
    url,
    ready,
    ended,
    stop: async () => {
      isStopped = true;
      if (running) await endGroup(running);
    },
    kill: () => {
      isStopped = true;
      if (running?.pid !== undefined) signalGroup(running.pid, 'SIGKILL');
    },
    tail,
  };
}

/** Gives the template of the built Worker, and builds it first if its sources changed. Gives nothing if that fails. */
async function builtTemplate(
  modules: string,
  build: (note: string) => Promise<boolean>,
): Promise<Template | undefined> {
  const note = join(modules, 'built.json');
  const built = readBuilt(note);
  if (built && isFresh(built)) return built.template;
  return (await build(note)) ? readBuilt(note)?.template : undefined;
}

async function untilItAnswers(url: string, ended: Promise<void>, tail: () => string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  let gone = false;
  void ended.then(() => {
    gone = true;
  });
  while (!gone && performance.now() < deadline) {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) }).catch(
      () => undefined,
    );
    if (response?.ok) return;
    await wait(50);
  }
  const what = gone ? 'stopped while it was starting' : 'did not start';
  throw new CliError(`The gateway ${what}. It last said:`, tail() || '(nothing)');
}
