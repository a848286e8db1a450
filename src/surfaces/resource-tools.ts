import * as z from 'zod';
import { tool } from '../../contracts/contract.ts';
import { listRepo, readRepoFile } from '../../contracts/repo.ts';
import type { Handler } from '../core/handler.ts';
import type { Door } from '../core/invoke.ts';
import { type Tool, toolSet } from '../core/tools.ts';
import type { Memory } from '../memory/memory-port.ts';
import type { Mirror } from '../mirror/mirror-port.ts';
import { listMirrored, readRepo } from '../tools/repo.ts';
import type { ResourceTools } from './mirror-resources.ts';

/** Git's own limit for a path. */
const anyPath = z.string().min(1).max(4_096);

/**
 * `read_repo_file` for readers by address. An address can name any path, while the tool takes plain ones only. For
 * rules, limits and the ledger it is the same tool.
 */
const readByAddress = { ...readRepoFile, input: readRepoFile.input.safeExtend({ path: anyPath }) };

const MAX_PATHS = 100;

/** `list_repo` for somebody who is typing a path. */
const listWhileTyping = tool({
  name: 'list_repo',
  title: listRepo.title,
  description: 'Lists the files whose paths begin with what is typed.',
  runsOn: listRepo.runsOn,
  ...(listRepo.group === undefined ? {} : { group: listRepo.group }),
  risk: listRepo.risk,
  approval: listRepo.approval,
  limits: listRepo.limits,
  hints: listRepo.hints,
  input: z.strictObject({ path: anyPath, starting: z.string().max(4_096) }),
  output: z.strictObject({ paths: z.array(z.string()) }),
  errors: {},
  examples: [
    {
      about: 'completes a path',
      input: { path: 'docs', starting: 'docs/pl' },
      output: { paths: ['docs/plan.md'] },
    },
  ],
});

const pathsStarting: Handler<typeof listWhileTyping, { mirror: Mirror }> = async (
  { starting },
  call,
  { mirror },
) => call.ok({ paths: await mirror.stub().pathsFrom(starting, MAX_PATHS) });

/** Makes the tools that read resources: the real tools, through the same door. */
export function resourceTools(
  door: Door,
  ports: { readonly memory: Memory; readonly mirror: Mirror },
): ResourceTools {
  const only = (tools: ReadonlyMap<string, Tool>): Tool => {
    const [one] = tools.values();
    if (!one) throw new Error('A set of one tool is empty.');
    return one;
  };
  return {
    read: only(toolSet({ readByAddress }, { readByAddress: readRepo }, door, ports)),
    list: only(toolSet({ listRepo }, { listRepo: listMirrored }, door, ports)),
    starting: only(toolSet({ listWhileTyping }, { listWhileTyping: pathsStarting }, door, ports)),
  };
}
