import { randomUUID } from 'node:crypto';
import { stdin, stdout } from 'node:process';
import type { Command } from 'commander';
import { visibleLine } from '../../../src/core/visible.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { bowlineHome } from '../../lib/home.ts';
import { localTime } from '../../lib/local-time.ts';
import { detail, done, printJson } from '../../lib/print.ts';
import { undoFolder } from '../../tools/handlers/files-ports.ts';
import type { ChangePorts } from '../../tools/undo/changes.ts';
import { openUndoJournal } from '../../tools/undo/journal.ts';
import { entriesOfCall, undoCall } from '../../tools/undo/undo-call.ts';
import { nodeDisk } from '../../tools/workspace/disk.ts';
import { openWorkspace } from '../../tools/workspace/workspace.ts';

export function addUndoCommand(program: Command): void {
  const undo = program
    .command('undo')
    .description('undo what a tool changed on this computer (as its owner)')
    .argument('<call>', 'the call that made the change, as `bowline undo list` shows it')
    .option('--anyway', 'undo it even if the file was changed since')
    .option('--json', 'print what was done as JSON')
    .addHelpText('after', '\nExamples:\n  bowline undo list\n  bowline undo call_4b1f…')
    .action(putBack);
  undo
    .command('list')
    .description('show what can be undone, newest first')
    .option('--json', 'print it as JSON')
    .action(list);
}

function list(_: object, command: Command): void {
  const { json } = command.optsWithGlobals<{ json?: boolean }>();
  const entries = openUndoJournal(undoFolder(bowlineHome())).list();
  if (json) {
    printJson(entries);
    return;
  }
  if (entries.length === 0) console.log('Nothing to undo.');
  for (const { id, group = id, at, tool, root, path, kind, before, after } of entries) {
    const when = localTime(at);
    const what = kind === 'directory' ? 'created' : !before ? 'created' : after ? 'changed' : 'removed';
    console.log(
      `${visibleLine(group)}  ${when}  ${tool}  ${what} ${visibleLine(path)} in ${visibleLine(root.path)}`,
    );
  }
}

interface Options {
  readonly anyway?: boolean;
  readonly json?: boolean;
}

async function putBack(call: string, { anyway, json }: Options): Promise<void> {
  requireOwner();
  const home = bowlineHome();
  const undo = openUndoJournal(undoFolder(home));
  const entries = entriesOfCall(call, undo);
  const [entry] = entries;
  if (!entry) {
    throw new CliError(
      `No change by a call ${JSON.stringify(call)} is kept here.`,
      'See `bowline undo list`. To undo a call of another machine, run this on that machine.',
    );
  }
  const workspace = openWorkspace([entry.root], { closed: [home] });
  try {
    const [root] = workspace.roots;
    if (!root) throw new CliError(`${entry.root.path} is not there any more.`);
    const ports: ChangePorts = { workspace, undo, disk: nodeDisk };
    const cause = { id: `undo_${randomUUID()}`, tool: 'undo' };
    const { done: isDone, message, suggestion } = await undoCall(entries, cause, ports, anyway);
    if (json) printJson({ call, done: isDone, message, ...(suggestion === undefined ? {} : { suggestion }) });
    else if (isDone) {
      done(message);
      for (const { path } of entries) detail('Location', `${root.path}/${path}`);
    }
    if (!isDone && !json) throw new CliError(message, suggestion);
    if (!isDone) process.exitCode = EXIT.failed;
  } finally {
    workspace.close();
  }
}

/** Refuses anybody but the owner. A program that a model started has neither a terminal nor the owner's key. */
function requireOwner(): void {
  if ((stdin.isTTY && stdout.isTTY) || process.env.BOWLINE_OWNER_KEY) return;
  throw new CliError(
    'This needs the owner, and there is no terminal to ask in.',
    'Run it in a terminal, or set BOWLINE_OWNER_KEY to the owner key.',
    EXIT.approval,
  );
}
