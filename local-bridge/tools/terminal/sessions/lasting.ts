import { randomBytes } from 'node:crypto';
import type { Confinement } from '../confine.ts';
import { environmentOf } from '../environment.ts';
import type { Warden } from '../warden-client.ts';
import type { Pty, SpawnPty } from './pty.ts';
import { shellCommand } from './shell-command.ts';

/** The end of a session's program. */
interface LastingEnd {
  /** The exit code; null if the bridge stopped it. */
  readonly exitCode: number | null;
  /** Processes that could not be ended. */
  readonly left: readonly number[];
}

/** A program that runs until it ends or is stopped. */
export interface Lasting {
  readonly pty: Pty;
  /** Marks the program's own shell in the process table. */
  readonly mark: string;
  readonly shell: string;
  /** Where its shell looks for programs. */
  readonly path: string;
  /** Resolves when nothing of it runs any more. */
  readonly over: Promise<LastingEnd>;
  stop(): void;
}

/** A session's program, ready to start. */
export interface LastingOrder {
  /** The command; the shell itself if left out. */
  readonly command?: string;
  inFolder<T>(work: (here: string) => T): T;
  onData(chunk: Buffer): void;
}

interface LastingPlace {
  readonly shell: string;
  readonly temporary: string;
  readonly environment: readonly string[];
  readonly hold: readonly string[];
  readonly signal: AbortSignal;
}

interface LastingPorts {
  readonly confinement: Confinement;
  readonly warden: Warden;
  readonly env: NodeJS.ProcessEnv;
  readonly spawn: SpawnPty;
}

/** Starts a program at a terminal, confined and watched over as every command is. */
export async function startLasting(
  { command, inFolder, onData }: LastingOrder,
  place: LastingPlace,
  { confinement, warden, env, spawn }: LastingPorts,
): Promise<Lasting | { readonly unavailable: string }> {
  const mark = randomBytes(16).toString('hex');
  const { shell, signal } = place;
  const inner = shellCommand({ ...(command === undefined ? {} : { command }), shell, mark }, confinement);
  if (typeof inner !== 'string') return inner;
  const launch = await confinement.launch(inner, '/bin/sh', place.hold);
  const variables = environmentOf(env, place.environment, { ...place, mark });
  const exited = Promise.withResolvers<number | null>();
  // Register before the start, so that the warden knows what to look for if the bridge dies in between.
  warden.register(mark, confinement.leaky);
  let pty: Pty;
  try {
    pty = inFolder((here) =>
      spawn({
        ...{ file: launch.file, args: launch.args, cwd: here, onData },
        env: variables,
        onExit: (code, number) => exited.resolve(number > 0 ? 128 + number : code),
      }),
    );
    warden.started(mark, pty.pid);
  } catch (error) {
    await warden.end(mark);
    confinement.after();
    throw error;
  }
  const stop = () => exited.resolve(null);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const end = async (): Promise<LastingEnd> => {
    const exitCode = await exited.promise;
    signal.removeEventListener('abort', stop);
    // Do this after a normal end too: what it left running in the background ends with it.
    const left = await warden.end(mark);
    confinement.after();
    return { exitCode, left };
  };
  return { pty, mark, shell, path: variables.PATH ?? '', over: end(), stop };
}
