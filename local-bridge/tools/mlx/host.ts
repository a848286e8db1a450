import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { cleaned } from '../../../src/core/visible.ts';
import { asking, listening } from './scripts.ts';
import type { MlxSettings } from './settings.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The computer that runs the models: this one, or one that `ssh` reaches. */
export interface MlxHost {
  readonly name: string;
  readonly isRemote: boolean;
  /** Runs a POSIX shell script. Values must get into it through `quoted`. */
  run(script: string, timeoutMs?: number): Promise<Ran>;
  /** Tells whether anything listens on a port there. */
  isListening(port: number): Promise<boolean>;
  /** Asks a server on that computer over HTTP. Gives `undefined` if no answer came in time. */
  ask(port: number, path: string, body: string | undefined, seconds: number): Promise<Answer | undefined>;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** The host could not be reached, so most likely no work began. */
export class HostUnreachable extends Error {
  override name = 'HostUnreachable';
  /** True if the host was reached but took too long. */
  readonly isLate: boolean;

  constructor(message: string, isLate = false) {
    super(message);
    this.isLate = isLate;
  }
}

const MAX_OUTPUT = 256 * 1024;
/** The exit code of `ssh` for its own failures, by its manual. */
const SSH_FAILED = 255;

export function hostOf({ host, ssh }: Pick<MlxSettings, 'host' | 'ssh'>, home: string): MlxHost {
  if (host === undefined) {
    return {
      name: hostname(),
      isRemote: false,
      run: (script, ms) => runScript(['sh', '-s'], script, ms),
      isListening: async (port) => (await accepts('127.0.0.1', port)) || (await accepts('::1', port)),
      ask: askHere,
    };
  }
  const sockets = join(home, 'mlx');
  const options = [
    ...['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=5'],
    // Keep one connection for a minute, for the many small questions of one load.
    ...[
      '-o',
      'ControlMaster=auto',
      '-o',
      'ControlPersist=60',
      '-o',
      `ControlPath=${join(sockets, 'ssh-%C')}`,
    ],
  ];
  const run: MlxHost['run'] = async (script, ms) => {
    mkdirSync(sockets, { recursive: true, mode: 0o700 });
    // Send the script on standard input, so that the other side's login shell, of whatever kind, only reads two fixed
    // words.
    const ran = await runScript([...ssh, ...options, '--', host, 'sh -s'], script, ms);
    if (ran.code === SSH_FAILED) throw new HostUnreachable(lastLine(ran.stderr) || `ssh ${host} failed`);
    return ran;
  };
  return {
    name: host,
    isRemote: true,
    run,
    isListening: async (port) => (await run(listening(port))).stdout.includes('yes'),
    ask: async (port, path, body, seconds) => {
      const { code, stdout } = await run(asking(port, path, body, seconds), (seconds + 10) * 1_000);
      const end = stdout.lastIndexOf('\n');
      if (code !== 0 || end < 0) return undefined;
      return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) };
    },
  };
}

function accepts(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    const end = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.setTimeout(2_000, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

async function askHere(
  port: number,
  path: string,
  body: string | undefined,
  seconds: number,
): Promise<Answer | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(seconds * 1_000),
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, body: await response.text() };
  } catch {
    // The request was refused, cut off or too slow. Callers look at the process to learn which.
    return undefined;
  }
}

function runScript(argv: readonly string[], script: string, timeoutMs = 20_000): Promise<Ran> {
  const [program = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout = (stdout + text).slice(-MAX_OUTPUT);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-MAX_OUTPUT);
    });
    child.once('error', (error) => reject(new HostUnreachable(`${program}: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (signal)
        reject(new HostUnreachable(`${program} gave no answer within ${timeoutMs / 1_000} s`, true));
      else resolve({ code: code ?? 1, stdout, stderr });
    });
    // The program may end before it has read everything. Its exit code says why.
    child.stdin.on('error', () => undefined);
    child.stdin.end(script);
  });
}

function lastLine(text: string): string {
  return cleaned(text.trimEnd().split('\n').at(-1) ?? '', 300);
}
