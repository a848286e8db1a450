import { type ChildProcess, spawn } from 'node:child_process';
import { visibleLine } from '../../../src/core/visible.ts';
import type { GitProblem } from './repository.ts';

/** Options of one run. */
export interface RunOptions {
  readonly signal: AbortSignal;
  /** The variables that name the repository. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly timeoutMs?: number;
  /** The most output to keep. Git is ended when it prints more. */
  readonly maxBytes?: number;
}

/** The output of one run. */
export interface RanGit {
  readonly out: Buffer;
  /** True if git printed more than was kept. */
  readonly cut: boolean;
  readonly problem?: GitProblem;
}

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Settings that keep git from running programs and from fetching, whatever a repository's own settings say. */
export const RUNS_NOTHING = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'protocol.allow=never',
  'log.showSignature=false',
  // A submodule's own settings would count for its differences.
  'diff.submodule=short',
].flatMap((setting) => ['-c', setting]);

/** The variables that keep git from asking, fetching and writing. Settings cannot lift them. */
export const FETCHES_NOTHING = {
  ...{ LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1' },
  ...{ GIT_ALLOW_PROTOCOL: 'none', GIT_PROTOCOL_FROM_USER: '0' },
};

/** Keeps git from running programs, asking questions, fetching and writing. */
const PLAIN = [
  ...['--no-pager', '--literal-pathspecs', '--no-replace-objects', ...RUNS_NOTHING],
  ...['-c', 'core.untrackedCache=false', '-c', 'submodule.recurse=false'],
  ...['-c', 'safe.bareRepository=explicit'],
];

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Runs git in a folder that is held open. Git has ended when the promise resolves. */
export function runGit(
  folder: { use<T>(work: (here: string) => T): T },
  args: readonly string[],
  { signal, env, input = '', timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES }: RunOptions,
): Promise<RanGit> {
  const { promise, resolve } = Promise.withResolvers<RanGit>();
  if (signal.aborted)
    return Promise.resolve({ out: Buffer.alloc(0), cut: true, problem: failed('it was stopped') });
  const child = folder.use((here) =>
    spawn('git', [...PLAIN, ...args], { cwd: here, env: { ...environment(), ...env }, windowsHide: true }),
  );
  running.add(child);
  const chunks: Buffer[] = [];
  let size = 0;
  let said = '';
  let cut = false;
  let problem: GitProblem | undefined;
  const end = (why?: GitProblem) => {
    problem ??= why;
    child.stdout.destroy();
    child.kill('SIGKILL');
  };
  const leave = () => end(failed('it was stopped'));
  const timer = setTimeout(() => end(failed('it took too long')), timeoutMs);
  signal.addEventListener('abort', leave, { once: true });
  child.stdout.on('data', (chunk: Buffer) => {
    if (cut) return;
    chunks.push(chunk);
    size += chunk.length;
    if (size <= maxBytes) return;
    cut = true;
    end();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < 2_000) said += text;
  });
  // If git ends early, this write fails too, and its status says why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  child.once('error', (error) => {
    problem ??=
      'code' in error && error.code === 'ENOENT'
        ? { problem: 'git_missing', why: 'Git is not installed on this machine.' }
        : failed('it could not be started');
  });
  child.once('close', (code) => {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
    running.delete(child);
    if (code !== 0 && !cut) problem ??= failed(firstWords(said) || `it ended with ${code}`);
    const out = Buffer.concat(chunks).subarray(0, maxBytes);
    resolve({ out, cut, ...(problem ? { problem } : {}) });
  });
  return promise;
}

function failed(why: string): GitProblem {
  return { problem: 'git_failed', why: `Git could not read this repository: ${why}.` };
}

function firstWords(said: string): string {
  const line = said.trim().split('\n')[0] ?? '';
  return visibleLine(line.replace(/^(?:fatal|error): /, ''), 200).replace(/\.$/, '');
}

/** Makes git's environment without the bridge's own, which may name another repository if git started the bridge. */
function environment(): Record<string, string> {
  return {
    ...Object.fromEntries(['PATH', 'HOME'].map((name) => [name, process.env[name] ?? ''])),
    ...FETCHES_NOTHING,
    // Skip the owner's settings too: programs that they name would run over files that others wrote.
    ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    GIT_ATTR_NOSYSTEM: '1',
  };
}
