import type { Fact } from '../../../contracts/preview.ts';
import type { runInTerminal } from '../../../contracts/terminal.ts';
import { plainFact } from '../../../src/core/plain-fact.ts';
import type { Previewer } from '../../../src/core/preview.ts';
import { commandFacts } from '../terminal/command-facts.ts';
import { type GitState, gitStateOf } from '../terminal/git-state.ts';
import { terminalState } from '../terminal/seen-state.ts';
import type { TerminalStatus } from '../terminal/terminal.ts';
import { isRefusal } from '../workspace/refusal.ts';
import { detailOf, notEntered, type TerminalPorts } from './terminal.ts';

/** Describes what a command would meet, without running any of it. */
const previewCommand: Previewer<typeof runInTerminal, TerminalPorts> = async (input, call, ports) => {
  const { terminal, workspace } = ports;
  const root = workspace.root(input.root);
  if (isRefusal(root)) return call.fail('unknown_root', detailOf(root));
  const at = input.cwd ?? '.';
  const folder = workspace.folder(root, at);
  if (isRefusal(folder)) return notEntered(folder, call);
  try {
    const off = terminal.whyOff();
    if (off !== undefined) return call.fail('terminal_off', off);
    const status = terminal.status();
    const state = folder.use((here) => terminalState(here, status));
    const git = await gitStateOf(root, at, ports, call.signal);
    const { PATH = '', TMPDIR = '' } = terminal.environment();
    const open = [...workspace.roots.map(({ path }) => path), TMPDIR];
    const facts = [
      plainFact(`It starts in the folder ${folder.path}.`),
      ...confinementFacts(status),
      ...commandFacts(input.command, { folder: folder.path, open, path: PATH }),
      gitFact(git),
    ];
    // Nobody can know in advance which files a command changes, and it may use the files as they are then.
    return { facts: facts.slice(0, 40), files: null, diff: null, state, sandboxed: status.sandboxed };
  } finally {
    folder.close();
  }
};

/** Says what confines a command, and what it can reach. */
export function confinementFacts(status: TerminalStatus): Fact[] {
  const { sandboxed, confinement, unsandboxedBecause, network, shell } = status;
  const hosts =
    network === null
      ? 'It can reach the network.'
      : network.length === 0
        ? 'It can reach no network.'
        : `It can reach only these hosts: ${network.join(', ')}.`;
  return [
    plainFact(`The shell is ${shell}.`),
    sandboxed
      ? plainFact(`It runs in the sandbox (${confinement}) and can write in the open folders only.`)
      : plainFact(
          `It runs without a sandbox, with all rights of your user.${unsandboxedBecause === undefined ? '' : ` ${unsandboxedBecause}`}`,
          unsandboxedBecause !== undefined,
        ),
    plainFact(hosts),
  ];
}

function gitFact(git: GitState): Fact {
  if (git.kind === 'none')
    return plainFact('The folder is in no git repository, so git cannot undo anything.');
  if (git.kind === 'clean') return plainFact('Git has no uncommitted changes in the folder.');
  if (git.kind === 'unknown')
    return plainFact(`It is not known whether git has uncommitted changes. ${git.why}`);
  const parts = [
    ...(git.tracked > 0 ? [`${git.tracked} changed`] : []),
    ...(git.untracked > 0 ? [`${git.untracked} new`] : []),
  ];
  return plainFact(
    `Git has uncommitted changes in the folder: ${parts.join(', ')}. Git cannot bring those back.`,
  );
}

/** Previewers by the names of their contracts. */
export const terminalPreviews = { run_in_terminal: previewCommand };
