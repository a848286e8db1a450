import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/** More than this without a line end is a flood and no message. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** How much of what a server complains about is kept, for the owner to read. */
const MAX_COMPLAINT_CHARS = 2_000;

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}

/** Sees to it that a program and all that it starts is gone in the end. */
export interface Keeper {
  started(pid: number): void;
  /** Asks it to stop, and ends what is left of it a while after. Resolves when nothing is. */
  end(exited: Promise<unknown>): Promise<void>;
}

/**
 * A server as a program of a process group of its own, spoken with in lines. The SDK's own transport leaves
 * behind what the program started, and takes a line of any length.
 */
export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #program: Program;
  readonly #keeper: Keeper;
  #child: ChildProcess | undefined;
  #parts: Buffer[] = [];
  #held = 0;
  #complaint = '';
  #isClosed = false;
  #exited: Promise<unknown> = Promise.resolve();

  constructor(program: Program, keeper: Keeper) {
    this.#program = program;
    this.#keeper = keeper;
  }

  /** The last that it wrote to its standard error. */
  get complaint(): string {
    return this.#complaint;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#program;
    const child = spawn(command, [...args], {
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.#child = child;
    child.stdout.on('data', (bytes: Buffer) => this.#read(bytes));
    child.stderr.on('data', (bytes: Buffer) => {
      this.#complaint = (this.#complaint + bytes.toString('utf8')).slice(-MAX_COMPLAINT_CHARS);
    });
    // A server that is gone is noticed by its exit.
    child.stdin.on('error', () => undefined);
    this.#exited = new Promise((resolve) => {
      child.once('exit', resolve);
      child.once('error', resolve);
    });
    void this.#exited.then(() => this.close());
    await once(child, 'spawn');
    if (child.pid !== undefined) this.#keeper.started(child.pid);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed || !this.#child?.stdin) throw new Error('The server is not running.');
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#child?.stdin?.end();
    this.onclose?.();
    await this.#keeper.end(this.#exited);
  }

  #read(bytes: Buffer): void {
    let rest = bytes;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = Buffer.concat([...this.#parts, rest.subarray(0, end)]).toString('utf8');
      this.#parts = [];
      this.#held = 0;
      rest = rest.subarray(end + 1);
      this.#take(line);
      if (this.#isClosed) return;
    }
    this.#held += rest.length;
    if (this.#held > MAX_LINE_BYTES) {
      this.#parts = [];
      this.onerror?.(new Error(`It sent more than ${MAX_LINE_BYTES} bytes without an end.`));
      void this.close();
    } else if (rest.length > 0) this.#parts.push(rest);
  }

  #take(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      // Many servers print a greeting where only messages belong.
      return;
    }
    if (typeof message !== 'object' || message === null || Array.isArray(message)) return;
    try {
      // The SDK looks at what it is given; what it makes of nonsense is its own error to report.
      this.onmessage?.(message as JSONRPCMessage);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
