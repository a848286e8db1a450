import { type ChildProcess, spawn } from 'node:child_process';
import { rgPath } from '@vscode/ripgrep';
import type { Folder } from '../workspace/workspace.ts';

/** One run of ripgrep below a folder. */
export interface Search {
  /** The folder where it starts and stays. */
  readonly folder: Pick<Folder, 'use'>;
  /** Its arguments. A pattern among them must stand behind `-e` or `--`. */
  readonly args: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Handles its output. Answers `stop` once there is enough. */
  onOutput(chunk: Buffer): 'more' | 'stop';
}

export interface SearchEnd {
  readonly how: 'done' | 'stopped' | 'timed_out' | 'cancelled';
  /** The reason why ripgrep refused to search at all, in its own words. */
  readonly complaint?: string;
  /** True if some files or folders could not be read. */
  readonly incomplete: boolean;
}

/** Folders of version control. They hold no text that people wrote, so no search enters them. */
export const NEVER_SEARCHED = ['.git', '.hg', '.svn', '.jj'];

/**
 * The arguments of every run: no configuration, dot files too, ignore files with or without git, and no links
 * followed.
 */
const ALWAYS = [
  '--no-config',
  '--hidden',
  '--no-follow',
  '--no-require-git',
  '--no-ignore-global',
  '--no-ignore-exclude',
  '--no-ignore-messages',
  '--no-messages',
  '--color=never',
  '--path-separator=/',
  ...NEVER_SEARCHED.map((name) => `--glob=!${name}`),
];

const MAX_COMPLAINT = 2_000;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Runs ripgrep until it ends, its time is up, or the caller has enough. It has ended when the promise resolves. */
export function ripgrep({ folder, args, timeoutMs, signal, onOutput }: Search): Promise<SearchEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<SearchEnd>();
  if (signal.aborted) return Promise.resolve({ how: 'cancelled', incomplete: true });
  const child = folder.use((here) =>
    spawn(rgPath, [...ALWAYS, ...args], {
      cwd: here,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: cleanEnvironment(),
      windowsHide: true,
    }),
  );
  running.add(child);
  let how: SearchEnd['how'] = 'done';
  let said = '';
  let broken: unknown;
  const end = (why: SearchEnd['how']) => {
    if (how === 'done') how = why;
    child.stdout.destroy();
    child.kill('SIGKILL');
  };
  const leave = () => end('cancelled');
  const timer = setTimeout(() => end('timed_out'), timeoutMs);
  signal.addEventListener('abort', leave, { once: true });
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      if (how === 'done' && onOutput(chunk) === 'stop') end('stopped');
    } catch (error) {
      broken ??= error;
      end('stopped');
    }
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < MAX_COMPLAINT) said += text;
  });
  child.once('error', (error) => {
    broken ??= error;
  });
  child.once('close', (code) => {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
    running.delete(child);
    if (broken !== undefined) return reject(broken);
    const refused = how === 'done' && code === 2 && said.trim() !== '';
    resolve({
      how,
      // Ripgrep is silent about what it cannot open. Only its exit code tells.
      incomplete: how !== 'done' || code === 2,
      ...(refused ? { complaint: shortened(said) } : {}),
    });
  });
  return promise;
}

function cleanEnvironment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env;
  return { LC_ALL: 'C.UTF-8', ...(SystemRoot === undefined ? {} : { SystemRoot }) };
}

/** Gives ripgrep's sentence about the mistake, without the picture of the pattern before it. */
function shortened(complaint: string): string {
  const lines = complaint.trim().split('\n');
  const line = lines.find((text) => /^(?:rg: )?error: /.test(text)) ?? lines.at(0) ?? '';
  return line.replace(/^(?:rg: )?(?:error: )?/, '').slice(0, 200);
}
