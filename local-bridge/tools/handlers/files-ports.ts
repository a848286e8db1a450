import { join } from 'node:path';
import { type ChangePorts, recover } from '../undo/changes.ts';
import { openUndoJournal, type UndoLimits } from '../undo/journal.ts';
import { nodeDisk } from '../workspace/disk.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { editHandlers, editPreviews } from './edits.ts';
import { readHandlers } from './files.ts';

/** What the tools that read and change files take. */
export type FilePorts = ChangePorts;

/** Handlers by the names of their contracts. */
export const fileHandlers = { ...readHandlers, ...editHandlers };

/** What says beforehand what they would do. */
export const filePreviews = editPreviews;

/** The ports over the owner's open folders, with what a crash may have left of an earlier run cleared up. */
export async function openFilePorts(
  workspace: Workspace,
  home: string,
  limits?: UndoLimits,
): Promise<FilePorts> {
  const undo = openUndoJournal(undoFolder(home), limits ? { limits } : {});
  const ports = { workspace, undo, disk: nodeDisk };
  await recover(ports, Date.now());
  return ports;
}

/** Where the earlier content of changed files is kept, in Bowline's own folder. */
export function undoFolder(home: string): string {
  return join(home, 'undo');
}
