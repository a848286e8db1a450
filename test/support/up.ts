import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const PROJECT = resolve(import.meta.dirname, '..', '..');
export const BOWLINE = join(PROJECT, 'local-bridge', 'bin.mjs');

export interface Up {
  readonly child: ChildProcess;
  readonly readyFile: string;
  readonly ready: {
    mcp: string;
    console: string;
    rest: string;
    token: string;
    owner_key_file: string;
    pid: number;
    /** What is in that file. */
    owner_key: string;
  };
  output(): string;
  /** Ends it as Ctrl-C would, and says with which code it went. */
  stop(): Promise<number | null>;
}

/** Starts `bowline up` as a user would and resolves when its self-check has passed. */
export async function startUp(options: {
  home: string;
  args?: readonly string[];
  /** Opens an empty folder in place of the project, for tests that need no repo: to mirror it takes a third of the start. */
  opensNothing?: boolean;
  readyFile?: string;
  /** More of the environment. */
  env?: Readonly<Record<string, string>>;
  /** Is given the process at once, to end it if it never gets ready. */
  started?: (child: ChildProcess) => void;
}): Promise<Up> {
  const { home, args = [], readyFile = join(home, 'ready.json'), env = {}, started } = options;
  const empty = options.opensNothing ? mkdtempSync(join(tmpdir(), 'bowline-empty-')) : undefined;
  const opened = empty === undefined ? [] : ['--root', empty];
  const words = ['up', '--port', '0', '--ready-file', readyFile, ...opened, ...args];
  const child = spawn('node', [BOWLINE, ...words], {
    cwd: PROJECT,
    env: { ...process.env, BOWLINE_HOME: home, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (empty !== undefined) child.once('exit', () => rmSync(empty, { recursive: true, force: true }));
  started?.(child);
  let output = '';
  const isUp = new Promise<void>((done, failed) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('Ctrl-C stops it.')) done();
      });
    }
    child.once('exit', (code) => failed(new Error(`bowline up ended with ${code}:\n${output}`)));
  });
  await isUp;
  if (!existsSync(readyFile)) throw new Error(`bowline up is ready but wrote no ${readyFile}`);
  const written: Omit<Up['ready'], 'owner_key'> = JSON.parse(readFileSync(readyFile, 'utf8'));
  return {
    ...{ child, readyFile },
    ready: { ...written, owner_key: readFileSync(written.owner_key_file, 'utf8').trim() },
    output: () => output,
    stop: async () => {
      if (child.exitCode !== null) return child.exitCode;
      child.kill('SIGINT');
      const [code] = await once(child, 'exit');
      return code;
    },
  };
}
