import { statusOf } from '../git/changes.ts';
import { openRepository, type Repository } from '../git/git.ts';
import { type GitPorts, isProblem } from '../git/repository.ts';
import type { Root } from '../workspace/held.ts';
import { isRefusal } from '../workspace/refusal.ts';

/** The state of a folder, by git. */
export type GitState =
  | { readonly kind: 'none' }
  | { readonly kind: 'clean' }
  | { readonly kind: 'changed'; readonly tracked: number; readonly untracked: number }
  | { readonly kind: 'unknown'; readonly why: string };

/** The longest wait for git, because the owner waits for this. */
const TIMEOUT_MS = 1_200;

/** Tells whether git has uncommitted changes in the repository around a folder. */
export async function gitStateOf(
  root: Root,
  folder: string,
  ports: GitPorts,
  signal: AbortSignal,
): Promise<GitState> {
  const repository = await openRepository(root, folder, ports, signal);
  if (isRefusal(repository)) return unknown(repository.message);
  if (isProblem(repository))
    return repository.problem === 'not_a_repository' ? { kind: 'none' } : unknown(repository.why);
  try {
    return await stateOf(repository);
  } finally {
    repository.close();
  }
}

async function stateOf(repository: Repository): Promise<GitState> {
  const status = await statusOf(repository, '.', TIMEOUT_MS);
  if (isProblem(status)) return unknown(status.why);
  if (status.cut) return unknown('There are too many changes to count.');
  const untracked = status.changes.filter(({ change }) => change === 'untracked').length;
  if (status.changes.length === 0) return { kind: 'clean' };
  return { kind: 'changed', tracked: status.changes.length - untracked, untracked };
}

function unknown(why: string): GitState {
  return { kind: 'unknown', why };
}
