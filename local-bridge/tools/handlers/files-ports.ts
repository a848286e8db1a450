import { join } from 'node:path';
import type { ChangePorts } from '../undo/changes.ts';
import { openUndoJournal, type UndoLimits } from '../undo/journal.ts';
import { recover } from '../undo/recover.ts';
import { nodeDisk } from '../workspace/disk.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { editHandlers, editPreviews } from './edits.ts';
import { readHandlers } from './files.ts';

/** The means of the tools that read and change files. */
export type FilePorts = ChangePorts;

/** Handlers by the names of their contracts. */
export const fileHandlers = { ...readHandlers, ...editHandlers };

/** Previewers by the names of their contracts. */
export const filePreviews = editPreviews;

/** Opens the ports over the owner's open folders, and cleans up after a crash. */
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
