import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { CliError } from './exit.ts';

/** The time that a child has to end by itself once asked. */
const GRACE_MS = 5_000;
const MAX_PORTS_TRIED = 50;
/** Systems give the ends of outgoing connections higher ports, so one of these is still free when a server takes it. */
const FREE_PORTS = { from: 10_000, until: 32_768 };

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is alive too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Ends a child and everything it started, first politely, then by force. The child must lead its own group. */
export async function endGroup(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const ended =
    child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve();
  // Ask the leader alone first: it can end its own children in order.
  child.kill('SIGTERM');
  await Promise.race([ended, wait(GRACE_MS, undefined, { ref: false })]);
  // The leader is gone or does not listen, so end what is left of its group.
  signalGroup(pid, 'SIGKILL');
  await ended;
}

/**
 * Ends a group of processes once this process is gone, even if somebody kills it. A program that is left behind would
 * keep its port, and write to files that the next one opens. Returns what calls this off.
 */
export function endWithUs(leader: number): () => void {
  // Its input closes with this process. It leads its own group, so that Ctrl-C does not end it before.
  const keeper = spawn(
    '/bin/sh',
    ['-c', 'cat > /dev/null; kill -KILL "-$1"', 'bowline-keeper', String(leader)],
    { detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
  );
  keeper.on('error', () => undefined);
  keeper.unref();
  return () => void keeper.kill('SIGKILL');
}

/** Signals a group by its leader's id alone, without waiting. For the last moment of a process. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/**
 * Lists this computer's own addresses, all of which `localhost` means. A server must hold all of them: a browser asks
 * `::1` first, and another program listening there would get keys and cookies.
 */
export function loopbackAddresses(): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.map(({ address }) => address),
  );
  return addresses.includes('::1') ? ['127.0.0.1', '::1'] : ['127.0.0.1'];
}

/** Gives the port to use: the one asked for, if it is free under all those addresses, or a free one for 0. */
export async function freePort(asked: number): Promise<number> {
  for (let tried = 1; ; tried++) {
    const port = asked === 0 ? randomInt(FREE_PORTS.from, FREE_PORTS.until) : asked;
    const refused = await refusalOf(port);
    if (refused === undefined) return port;
    if (asked === 0 && refused === 'EADDRINUSE' && tried < MAX_PORTS_TRIED) continue;
    if (refused === 'EADDRINUSE') {
      const free = await nextFree(port);
      throw new CliError(
        `Port ${port} is taken by another program.`,
        `${free === undefined ? '' : `${free} is free: \`--port ${free}\`. `}--port 0 takes any free one.`,
      );
    }
    if (refused === 'EACCES') {
      throw new CliError(
        `Port ${port} needs rights this user does not have.`,
        'Choose one above 1023 with --port.',
      );
    }
    throw new Error(`Port ${port} cannot be used: ${refused}.`);
  }
}

/** Finds the first free port after one. */
async function nextFree(taken: number): Promise<number | undefined> {
  for (let port = taken + 1; port <= Math.min(taken + MAX_PORTS_TRIED, 65_535); port++) {
    if ((await refusalOf(port)) === undefined) return port;
  }
  return undefined;
}

/** Says why a port cannot be used under all loopback addresses, in the system's word; undefined if it can. */
async function refusalOf(port: number): Promise<string | undefined> {
  for (const address of loopbackAddresses()) {
    try {
      await listenOnce(port, address);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (typeof code !== 'string') throw error;
      return code;
    }
  }
  return undefined;
}

/** Listens for a moment. */
async function listenOnce(port: number, address: string): Promise<void> {
  const server = createServer().listen(port, address);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
