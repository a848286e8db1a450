import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { findProgram } from './environment.ts';
import type { Outcome } from './run.ts';

/** The findings of a probe of the sandbox. */
export interface CanaryFindings {
  /** The things that the sandbox let through, in a few words each. Empty if it holds. */
  readonly leaks: readonly string[];
  /** The reason why the probe proved nothing: it never reached its end. */
  readonly inconclusive?: string;
}

/** The means of a canary: a way to run a command like the owner's, and folders inside and outside its reach. */
interface CanaryPorts {
  /** Runs a command; `here` is its working directory. */
  run(command: string, shell: string, here: string): Promise<Outcome>;
  /** A folder that commands may write in. */
  readonly inside: string;
  /** A folder that commands may not write in. */
  readonly outside: string;
  /** A folder that commands may not read. */
  readonly secret: string;
}

/**
 * Tries everything that the sandbox must prevent: writing elsewhere, reading a secret, reaching a server of this
 * machine.
 */
export async function probe(ports: CanaryPorts): Promise<CanaryFindings> {
  const inside = mkdtempSync(join(ports.inside, 'canary-'));
  const outside = mkdtempSync(join(ports.outside, 'canary-'));
  const secret = mkdtempSync(join(ports.secret, 'canary-'));
  const word = randomBytes(16).toString('hex');
  writeFileSync(join(secret, 'secret'), word);
  const sink = await openSink();
  try {
    const { out, exitCode } = await ports.run(
      commandFor(join(inside, 'ran'), join(outside, 'written'), join(secret, 'secret'), sink.port),
      findProgram('bash') ?? '/bin/sh',
      inside,
    );
    const heard = await sink.heard();
    const ran = existsSync(join(inside, 'ran'));
    const leaks = [
      ...(existsSync(join(outside, 'written')) ? ['a command could write outside of the open folders'] : []),
      ...(out.head.includes(word) ? ["a command could read Bowline's own folder"] : []),
      ...(heard ? ['a command could reach a server on this machine'] : []),
    ];
    return ran ? { leaks } : { leaks, inconclusive: `the probe itself did not run (exit code ${exitCode})` };
  } finally {
    sink.close();
    for (const folder of [inside, outside, secret]) rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds the command. Each attempt has its own shell, because some shells stop at the first failure. */
function commandFor(inside: string, outside: string, secret: string, port: number): string {
  return [
    `(echo x > '${outside}') 2>/dev/null`,
    `(cat '${secret}') 2>/dev/null`,
    `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null || (nc -z -w 1 127.0.0.1 ${port}) >/dev/null 2>&1`,
    `echo x > '${inside}'`,
  ].join('\n');
}

interface Sink {
  readonly port: number;
  heard(): Promise<boolean>;
  close(): void;
}

async function openSink(): Promise<Sink> {
  const seen: number[] = [];
  const server: Server = createServer((socket) => {
    seen.push(socket.remotePort ?? 0);
    socket.on('error', () => undefined).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');
  return {
    port: address.port,
    heard: async () => {
      // Connections arrive in order, so once our own has arrived, all earlier ones have too.
      const arrived = once(server, 'connection');
      const own = connect(address.port, '127.0.0.1');
      await once(own, 'connect');
      const port = own.localPort;
      own.destroy();
      while (!seen.includes(port ?? -1)) await (seen.length === 0 ? arrived : once(server, 'connection'));
      return seen.some((each) => each !== port);
    },
    close: () => void server.close(),
  };
}
