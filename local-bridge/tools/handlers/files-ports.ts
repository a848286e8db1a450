import { join } from 'node:path';
import { type ChangePorts, recover } from '../undo/changes.ts';
import { openUndoJournal, type UndoLimits } from '../undo/journal.ts';
import { nodeDisk } from '../workspace/disk.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { editHandlers, editPreviews } from './edits.ts';
import { readHandlers } from './files.ts';

/** What the tools that read and change files need. */
export type FilePorts = ChangePorts;

/** Handlers by the names of their contracts. */
export const fileHandlers = { ...readHandlers, ...editHandlers };

/** Previewers by the names of their contracts. */
export const filePreviews = editPreviews;

/** Opens the ports over the owner's open folders, and clears up what a crash may have left. */
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

/** Gives the folder, among Bowline's own, that keeps the earlier content of changed files. */
export function undoFolder(home: string): string {
  return join(home, 'undo');
}
