import type { MachineHandlers } from '../machine-handlers.ts';
import { replaceOne } from './edits-change.ts';
import { createOne } from './edits-create.ts';
import { makeDirectory } from './edits-directory.ts';
import { editMany } from './edits-many.ts';
import { previewMany } from './edits-many-preview.ts';
import { previewChange, previewFile, previewFolder } from './edits-previews.ts';
import { previewUndo, undoOne } from './undo.ts';

/** Handlers of the tools that change files, by the names of their contracts. */
export const editHandlers = {
  create_file: createOne,
  replace_string_in_file: replaceOne,
  create_directory: makeDirectory,
  edit_files: editMany,
  undo_call: undoOne,
} satisfies MachineHandlers;

/** Previewers of the same tools. */
export const editPreviews = {
  create_file: previewFile,
  replace_string_in_file: previewChange,
  create_directory: previewFolder,
  edit_files: previewMany,
  undo_call: previewUndo,
};
