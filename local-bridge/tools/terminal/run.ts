import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { type Captured, fitTogether, openCapture } from './capture.ts';
import type { Confinement } from './confine.ts';
import { environmentOf } from './environment.ts';
import type { Warden } from './warden-client.ts';

/** The time that a command has to end by itself once asked. */
export const GRACE_MS = 2_000;

/** The same time for a command whose caller left. It is shorter, because nobody will read the rest. */
const GRACE_WHEN_LEFT_MS = 1_000;

/** The end of a command. */
export interface Outcome {
  readonly out: Captured;
  readonly err: Captured;
  /**
   * The exit code; by the convention of shells, 128 and its number for a signal. Null if the bridge stopped the
   * command.
   */
  readonly exitCode: number | null;
  readonly stopped: 'timeout' | 'cancelled' | undefined;
  readonly durationMs: number;
  /** Processes that could not be ended. */
  readonly left: readonly number[];
}

/** One command, ready to run. */
export interface Order {
  readonly command: string;
  readonly shell: string;
  readonly temporary: string;
  readonly environment: readonly string[];
  /** Paths in the open folders that the command must not change. */
  readonly hold: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Calls `work` with a path that is the working directory while `work` runs. */
  inFolder<T>(work: (here: string) => T): T;
  onOutput(chunk: Buffer): void;
}

/** The means of a run. */
interface RunPorts {
  readonly confinement: Confinement;
  readonly warden: Warden;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Runs a command until it ends, its time is up or its caller leaves. When this resolves, nothing of it is left
 * running.
 */
export async function runCommand(order: Order, ports: RunPorts): Promise<Outcome> {
  const { confinement, warden } = ports;
  const mark = randomBytes(16).toString('hex');
  const launch = await confinement.launch(order.command, order.shell, order.hold);
  const started = performance.now();
  // Register before the start, so that the warden knows what to look for if the bridge dies in between.
  warden.register(mark, confinement.leaky);
  let ended = false;
  try {
    const child = order.inFolder((here) =>
      spawn(launch.file, launch.args, {
        cwd: here,
        env: environmentOf(ports.env, order.environment, { ...order, mark }),
        // Give it no input and, in a session of its own, no terminal: a program that asks a question gets no answer
        // and ends.
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      }),
    );
    const streams = collect(child, order.onOutput);
    // Handle its end even if starting fails, so that no rejection stays unhandled meanwhile.
    const ending = endOf(child);
    if (child.pid !== undefined) warden.started(mark, child.pid);
    const stopped = await untilOver(ending, order);
    if (stopped) {
      warden.ask(mark);
      const grace = stopped === 'cancelled' ? GRACE_WHEN_LEFT_MS : GRACE_MS;
      await Promise.race([ending, wait(grace, undefined, { ref: false })]);
    }
    // Do this after a normal end too: what the command left running in the background ends with it.
    const left = await warden.end(mark);
    ended = true;
    const end = left.length === 0 ? await ending : { code: null };
    if (end.error) throw end.error;
    const { out, err } = await streams();
    return {
      out,
      err,
      exitCode: stopped ? null : end.code,
      stopped,
      durationMs: performance.now() - started,
      left,
    };
  } finally {
    if (!ended) await warden.end(mark);
    confinement.after();
  }
}

interface End {
  readonly code: number | null;
  readonly error?: Error;
}

function endOf(child: ChildProcess): Promise<End> {
  const { promise, resolve } = Promise.withResolvers<End>();
  child.once('error', (error) => resolve({ code: null, error }));
  child.once('exit', (code, signal) => {
    resolve({ code: code ?? (signal ? 128 + constants.signals[signal] : null) });
  });
  return promise;
}

async function untilOver(ending: Promise<End>, order: Order): Promise<Outcome['stopped']> {
  const over = Promise.withResolvers<Outcome['stopped']>();
  const cancel = () => over.resolve('cancelled');
  const timer = setTimeout(() => over.resolve('timeout'), order.timeoutMs);
  order.signal.addEventListener('abort', cancel, { once: true });
  if (order.signal.aborted) cancel();
  void ending.then(() => over.resolve(undefined));
  try {
    return await over.promise;
  } finally {
    clearTimeout(timer);
    order.signal.removeEventListener('abort', cancel);
  }
}

/** Reads both streams into bounded memory. Gives a function that waits for the rest and puts them together. */
function collect(child: ChildProcess, onOutput: (chunk: Buffer) => void) {
  const captures = [child.stdout, child.stderr].map((stream) => {
    const capture = openCapture();
    stream?.on('data', (chunk: Buffer) => {
      capture.take(chunk);
      onOutput(chunk);
    });
    const closed = stream ? once(stream, 'close').catch(() => undefined) : Promise.resolve();
    return { capture, closed, stream };
  });
  return async () => {
    const all = Promise.all(captures.map(({ closed }) => closed));
    // Every writer is gone, so do not wait for a pipe that still stays open.
    await Promise.race([all, wait(2_000, undefined, { ref: false })]);
    const [out, err] = captures.map(({ capture, stream }) => {
      stream?.destroy();
      return capture.done();
    });
    if (!out || !err) throw new Error('A command has two streams.');
    return fitTogether(out, err);
  };
}
