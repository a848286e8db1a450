import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { CliError } from '../exit.ts';

/** How long a child may take to end by itself once asked. */
const GRACE_MS = 5_000;
const MAX_PORTS_TRIED = 50;

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is alive too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Ends a child and everything it started, politely and then not. The child must lead its own group. */
export async function endGroup(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const ended =
    child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve();
  // Its leader first and alone: it knows how to take its own children down in order.
  child.kill('SIGTERM');
  await Promise.race([ended, wait(GRACE_MS, undefined, { ref: false })]);
  // The leader is gone or stubborn; whatever is left of its group goes now.
  signalGroup(pid, 'SIGKILL');
  await ended;
}

/** Ends a group from its leader's id alone, without waiting: for the last moment of a process. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** The port to use: the one asked for, if nobody has it, or a free one for 0. */
export async function freePort(asked: number): Promise<number> {
  const server = createServer();
  server.listen(asked, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') {
      const free = await nextFree(asked);
      throw new CliError(
        `Port ${asked} is taken by another program.`,
        `${free === undefined ? '' : `${free} is free: \`--port ${free}\`. `}With --port 0 any free one is taken.`,
      );
    }
    if (code === 'EACCES') {
      throw new CliError(
        `Port ${asked} needs rights this user does not have.`,
        'Choose one above 1023 with --port.',
      );
    }
    throw error;
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');
  return address.port;
}

/** The first port after one that nobody has. */
async function nextFree(taken: number): Promise<number | undefined> {
  for (let port = taken + 1; port <= Math.min(taken + MAX_PORTS_TRIED, 65_535); port++) {
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
  return undefined;
}
