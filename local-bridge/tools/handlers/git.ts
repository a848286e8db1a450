import type { gitRead } from '../../../contracts/git.ts';
import type { Refusal } from '../../../src/core/call.ts';
import type { Call, Handler } from '../../../src/core/handler.ts';
import { openRepository } from '../git/git.ts';
import { type GitPorts, type GitProblem, isProblem } from '../git/repository.ts';
import type { MachineHandlers } from '../machine-handlers.ts';
import { shown } from '../workspace/path-rules.ts';
import { isRefusal, type WorkspaceRefusal } from '../workspace/refusal.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { blame, log, show } from './git-commits.ts';
import { diff, status } from './git-files.ts';

/** The means of `git_read`. */
interface GitReadPorts extends GitPorts {
  readonly workspace: GitPorts['workspace'] & Pick<Workspace, 'root'>;
}

const READERS = { status, diff, log, blame, show };

const readGit: Handler<typeof gitRead, GitReadPorts> = async (input, call, ports) => {
  const started = performance.now();
  const root = ports.workspace.root(input.root);
  if (isRefusal(root)) return notOpened(root, input.path, call);
  const repository = await openRepository(root, input.path, ports, call.signal);
  if (isRefusal(repository)) return notOpened(repository, input.path, call);
  if (isProblem(repository)) return failedBy(repository, call);
  try {
    const { relative } = repository;
    const path = relative === '.' ? input.path : input.path.slice(relative.length + 1) || '.';
    const read = await READERS[input.what]({ repository, input, path, ports });
    if ('mistake' in read) return call.fail(read.mistake, read.why);
    if (isProblem(read)) return failedBy(read, call);
    const head = read.metadata.head === undefined ? await repository.commit('HEAD') : read.metadata.head;
    return call.ok({
      success: true,
      output: `${read.head}\n${read.body}`,
      files_affected: [],
      execution_time_ms: Math.round(performance.now() - started),
      metadata: {
        repository: relative,
        branch: repository.branch,
        ...read.metadata,
        head: typeof head === 'string' ? head : null,
      },
    });
  } finally {
    repository.close();
  }
};

function failedBy({ problem, why }: GitProblem, call: Call<typeof gitRead>): Refusal {
  return call.fail(problem, why);
}

function notOpened(
  { code, message, suggestion }: WorkspaceRefusal,
  path: string,
  call: Call<typeof gitRead>,
): Refusal {
  const detail = { message, ...(suggestion === undefined ? {} : { suggestion }) };
  if (code === 'not_found' || code === 'not_a_file' || code === 'not_a_directory')
    return call.fail('not_a_repository', `There is no git repository around '${shown(path)}'.`);
  return call.fail(code, detail);
}

/** Handlers by the names of their contracts. */
export const gitHandlers = { git_read: readGit } satisfies MachineHandlers;
