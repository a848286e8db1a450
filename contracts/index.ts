import { getCall, listMachines } from './calls.ts';
import { editFiles } from './edit-files.ts';
import { createDirectory, createFile, replaceStringInFile } from './edits.ts';
import { listDir, readFile } from './files.ts';
import { fileSearch, grepSearch } from './find.ts';
import { gitRead } from './git.ts';
import { hello } from './hello.ts';
import { writeMemoryEntry } from './memory.ts';
import { mlxList, mlxLoad, mlxUnload } from './mlx.ts';
import { readFiles } from './read-files.ts';
import { listRepo, readRepoFile } from './repo.ts';
import { fetchDocument, searchDocuments } from './search.ts';
import { runInTerminal, terminalLastCommand } from './terminal.ts';
import { terminalList, terminalRead, terminalStop } from './terminal-output.ts';
import { terminalSend, terminalStart } from './terminal-sessions.ts';
import { transcriptClean } from './transcript.ts';
import { undoOfCall } from './undo.ts';
import { watch } from './watch.ts';
import { searchWeb } from './web.ts';
import { webFetch } from './web-fetch.ts';
import { fetchWebpage } from './webpage.ts';

/** Every tool that runs on one of the owner's machines. */
export const machineTools = {
  create_file: createFile,
  read_file: readFile,
  read_files: readFiles,
  replace_string_in_file: replaceStringInFile,
  list_dir: listDir,
  create_directory: createDirectory,
  edit_files: editFiles,
  undo_call: undoOfCall,
  file_search: fileSearch,
  grep_search: grepSearch,
  run_in_terminal: runInTerminal,
  terminal_last_command: terminalLastCommand,
  terminal_start: terminalStart,
  terminal_send: terminalSend,
  terminal_read: terminalRead,
  terminal_list: terminalList,
  terminal_stop: terminalStop,
  fetch_webpage: fetchWebpage,
  git_read: gitRead,
  watch,
  'mlx.load': mlxLoad,
  'mlx.unload': mlxUnload,
  'mlx.list': mlxList,
} as const;

/** Every tool that runs in the gateway. */
export const gatewayTools = {
  hello,

  // The owner's repo and memory.
  read_repo_file: readRepoFile,
  list_repo: listRepo,
  write_memory_entry: writeMemoryEntry,
  search: searchDocuments,
  fetch: fetchDocument,

  // The web and texts from it.
  'search.web': searchWeb,
  'web.fetch': webFetch,
  'transcript.clean': transcriptClean,

  // The owner's machines.
  list_machines: listMachines,
  get_call: getCall,
} as const;

/** Every tool of Bowline by contract name, in the order in which lists show them. */
export const catalogue = { ...gatewayTools, ...machineTools } as const;

type Catalogue = typeof catalogue;
export type ToolName = keyof Catalogue;
