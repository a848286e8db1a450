import { execFile } from 'node:child_process';
import { dirname } from 'node:path';

/** What git says about a folder. */
export type GitState =
  | { readonly kind: 'none' }
  | { readonly kind: 'clean' }
  | { readonly kind: 'changed'; readonly tracked: number; readonly untracked: number }
  | { readonly kind: 'unknown'; readonly why: string };

/** A folder that is held open. Git starts in that very folder. */
interface GitFolder {
  readonly path: string;
  use<T>(work: (here: string) => T): T;
}

const TIMEOUT_MS = 1_200;
const MAX_OUTPUT = 1024 * 1024;
/** A repository's settings that make git run a program to compare files, or look at another folder. */
const FORBIDDEN = /^(?:filter\..*\.(?:clean|process)|core\.worktree)$/i;
/**
 * Options that override a repository's own settings: no hook, no watcher, no lock, nothing fetched, no disguised
 * repository.
 */
const PLAIN = [
  ...['--no-pager', '--literal-pathspecs', '--no-replace-objects', '-c', 'safe.bareRepository=explicit'],
  ...['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'status.submoduleSummary=false'],
];

/**
 * Tells whether git has uncommitted changes in a folder. Runs none of the programs that a repository's settings can
 * name.
 */
export async function gitStateOf(folder: GitFolder, signal: AbortSignal): Promise<GitState> {
  const settings = await run(folder, ['config', '--list', '-z', '--name-only'], signal);
  if (settings.problem !== undefined) return unknown(settings.problem);
  const inside = await run(folder, ['rev-parse', '--is-inside-work-tree'], signal);
  if (inside.problem !== undefined)
    return NO_REPOSITORY.test(inside.problem) ? { kind: 'none' } : unknown(inside.problem);
  const program = settings.out.split('\0').find((key) => FORBIDDEN.test(key));
  if (program !== undefined)
    return unknown(`the repository's setting \`${program}\` could make git run a program`);
  const status = [
    'status',
    '--porcelain=v1',
    '-z',
    '--no-renames',
    '--untracked-files=normal',
    '--ignore-submodules=all',
  ];
  const { out, problem } = await run(folder, status, signal);
  if (problem !== undefined) return unknown(problem);
  const entries = out.split('\0').filter((entry) => entry !== '');
  const untracked = entries.filter((entry) => entry.startsWith('??')).length;
  if (entries.length === 0) return { kind: 'clean' };
  return { kind: 'changed', tracked: entries.length - untracked, untracked };
}

const NO_REPOSITORY = /not a git repository/i;

const unknown = (why: string): GitState => ({ kind: 'unknown', why });

interface Ran {
  readonly out: string;
  readonly problem?: string;
}

function run(folder: GitFolder, args: readonly string[], signal: AbortSignal): Promise<Ran> {
  // Pass nothing of the bridge's own environment: a caller's git may have left its repository's place there.
  const env = {
    ...Object.fromEntries(['PATH', 'HOME'].map((name) => [name, process.env[name] ?? ''])),
    ...{ LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1' },
    // The owner's settings may name programs too, which would run over files that others wrote.
    ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    // A repository above the open folder does not belong to this folder.
    GIT_CEILING_DIRECTORIES: dirname(folder.path),
  };
  const limits = { timeout: TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT, signal } as const;
  return folder.use(
    (here) =>
      new Promise((resolve) => {
        const child = execFile(
          'git',
          [...PLAIN, ...args],
          { cwd: here, env, ...limits },
          (error, out, said) => {
            if (error) resolve({ out, problem: problemOf(error, said) });
            else resolve({ out });
          },
        );
        child.stdin?.end();
      }),
  );
}

function problemOf(error: Error & { code?: unknown; killed?: boolean }, said: string): string {
  if (error.code === 'ENOENT') return 'it is not installed';
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'there are too many changes to count';
  if (error.killed || error.name === 'AbortError') return 'it took too long';
  return said.trim().split('\n')[0]?.slice(0, 200) || 'it failed';
}
