import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/** A longer line is a flood, not a message. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** The most of a server's complaints that is kept for the owner. */
const MAX_COMPLAINT_CHARS = 2_000;

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}

/** Makes sure that a program and all that it starts is gone in the end. */
export interface Keeper {
  started(pid: number): void;
  /** Asks it to stop, and after a while ends what is left. Resolves when nothing is. */
  end(exited: Promise<unknown>): Promise<void>;
}

/**
 * Runs a server as a program in a process group of its own and speaks with it in lines. The SDK's own transport leaves
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

  /** The last text on its standard error. */
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
    // The server's exit shows that it is gone.
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
      this.onerror?.(new Error(`It sent a line of more than ${MAX_LINE_BYTES} bytes.`));
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
      // The SDK checks what it gets, and reports its own error for nonsense.
      this.onmessage?.(message as JSONRPCMessage);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
