import type { Root } from '../workspace/held.ts';
import { isRefusal, type WorkspaceRefusal } from '../workspace/refusal.ts';
import { findRepository, type GitPorts, type GitProblem, isProblem } from './repository.ts';
import { type RanGit, type RunOptions, runGit } from './run-git.ts';
import { openView } from './view.ts';

/** A repository that git reads without running anything that the repository names. */
export interface Repository {
  readonly root: Root;
  /** Its folder, from the open folder. */
  readonly relative: string;
  /** The current branch, if there is one. */
  readonly branch: string | null;
  run(args: readonly string[], more?: Pick<RunOptions, 'input' | 'timeoutMs' | 'maxBytes'>): Promise<RanGit>;
  /** Finds a commit by its name. Git's later arguments contain only the id found here, never the name. */
  commit(name: string): Promise<string | GitProblem>;
  close(): void;
}

/**
 * Opens the repository around a path of an open folder. No other code may run git on a repository that others wrote.
 */
export async function openRepository(
  root: Root,
  path: string,
  ports: GitPorts,
  signal: AbortSignal,
): Promise<Repository | GitProblem | WorkspaceRefusal> {
  const found = await findRepository(root, path, ports);
  if (isRefusal(found) || isProblem(found)) return found;
  const view = await openView(found, ports, signal).catch((error: unknown) => {
    found.close();
    throw error;
  });
  if (isProblem(view)) {
    found.close();
    return view;
  }
  const run: Repository['run'] = (args, more = {}) =>
    runGit(found.tree, args, { ...more, signal, env: view.env });
  return {
    root,
    relative: found.tree.relative,
    branch: view.branch,
    run,
    commit: async (name) => {
      const { out, problem } = await run([
        'rev-parse',
        '--verify',
        '--quiet',
        '--end-of-options',
        `${name}^{commit}`,
      ]);
      const id = /^(?:--end-of-options\n)?([0-9a-f]{40,64})\n$/.exec(out.toString('latin1'))?.[1];
      if (id !== undefined && !problem) return id;
      if (problem && problem.problem !== 'git_failed') return problem;
      return { problem: 'unknown_ref', why: 'The repository has no such commit, branch or tag.' };
    },
    close: () => {
      view.close();
      found.close();
    },
  };
}
