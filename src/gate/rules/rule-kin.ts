import { MEMORY_FOLDER } from '../../core/path-policy.ts';

interface ToolCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The files that a preview named, for calls whose arguments name none. Left out if nobody knows them. */
  readonly touches?: readonly Touched[];
  /** The arguments whose values nobody knows: what undoing writes back is on the machine alone. */
  readonly unknown?: readonly string[];
}

/** A file that a call would change, and how. */
interface Touched {
  readonly path: string;
  readonly change: string;
}

/** The tool that takes another call back. Its arguments name no file. */
export const UNDO_TOOL = 'undo_call';

/** The tool that gives a document of the repo or of the memory by its id. */
const DOCUMENT_TOOL = 'fetch';

/** The tools of lasting terminals that run what they are given. No rule is a yes to them. */
export const START_TOOL = 'terminal_start';
export const SEND_TOOL = 'terminal_send';

/**
 * Tools whose one call does the work of several calls of plainer tools. A no to such a plainer call is a no to the
 * whole call. Otherwise each new tool would bypass the owner's noes.
 */
const KIN: Readonly<Record<string, readonly string[]>> = {
  edit_files: ['create_file', 'replace_string_in_file'],
  [UNDO_TOOL]: ['create_file', 'replace_string_in_file', 'edit_files'],
  read_files: ['read_file'],
  [DOCUMENT_TOOL]: ['read_repo_file'],
  [START_TOOL]: ['run_in_terminal'],
  [SEND_TOOL]: ['run_in_terminal'],
};

/** Names the tools whose noes also concern a tool. */
export function kinOf(tool: string): readonly string[] {
  return Object.hasOwn(KIN, tool) ? (KIN[tool] ?? []) : [];
}

/** Adds to names of tools every tool that does the same work in one call of its own. */
export function withKin(names: readonly string[]): string[] {
  const kin = Object.keys(KIN).filter((tool) => kinOf(tool).some((plainer) => names.includes(plainer)));
  return [...new Set([...names, ...kin])];
}

/** Tells if a tool runs commands in a lasting terminal. No rule for the tool itself can allow that. */
export function isLasting(tool: string): boolean {
  return tool === START_TOOL || tool === SEND_TOOL;
}

/** Tells if the owner is asked about each call of a tool, whatever the rules allow. */
export function asksEachTime(tool: string): boolean {
  return isLasting(tool) || tool === UNDO_TOOL;
}

/** The places that `fetch` reads, by how its `id` begins: from the root of the repo, and among the memory's files. */
const DOCUMENTS = { 'repo:': '', 'memory:': MEMORY_FOLDER } as const;

/** Gives the file that a call of `fetch` reads, as a call of the tool that reads the repo by its path. */
function readingDocument(tool: string, { id }: Part): readonly ToolCall[] {
  const found = Object.entries(DOCUMENTS).find(([begin]) => typeof id === 'string' && id.startsWith(begin));
  if (!found) return [];
  const [begin, folder] = found;
  const path = folder + String(id).slice(begin.length);
  // Behind `#` stands the entry of the memory's file. A name in the repo may have one.
  const file = folder === '' ? path : path.replace(/#[^#]*$/, '');
  return [{ tool, args: { path: file, encoding: 'utf-8' } }];
}

type Part = Readonly<Record<string, unknown>>;

function partsOf({ tool, args }: ToolCall): readonly Part[] {
  const parts = tool === 'edit_files' ? args.edits : tool === 'read_files' ? args.files : [];
  return Array.isArray(parts) ? parts : [];
}

/** Lists every path of a call that has several, both ends of a move included; undefined for other calls. */
export function pathsOf(call: ToolCall): readonly unknown[] | undefined {
  const { tool } = call;
  if (tool !== 'edit_files' && tool !== 'read_files') return undefined;
  return partsOf(call).flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]));
}

/** Tells if a call also shows what is below its path, in a tree. */
export function showsBelow({ tool, args }: ToolCall): boolean {
  return tool === 'list_dir' && typeof args.depth === 'number' && args.depth > 1;
}

/** Spells a call out as the calls of a plainer tool that it stands for. */
export function asCallsOf(tool: string, call: ToolCall): readonly ToolCall[] {
  const { root } = call.args;
  const place = root === undefined ? {} : { root };
  if (call.tool === UNDO_TOOL) return (call.touches ?? []).map((file) => writing(tool, file, place));
  if (isLasting(call.tool))
    return linesOf(call).map((command) => ({ tool, args: commandArgs(command, call) }));
  if (call.tool === DOCUMENT_TOOL) return readingDocument(tool, call.args);
  if (call.tool === 'read_files') return partsOf(call).map((part) => ({ tool, args: { ...part, ...place } }));
  return partsOf(call).flatMap(({ path, to, old = '', text = '' }) =>
    (to === undefined ? [path] : [path, to]).map((one) => {
      const content = tool === 'create_file' ? { content: text } : { old_string: old, new_string: text };
      return { tool, args: { path: one, ...content, repeat: false, ...place } };
    }),
  );
}

/** Gives a call that writes a file with unknown content, or removes it. */
function writing(tool: string, { path, change }: Touched, place: Part): ToolCall {
  const content =
    tool === 'edit_files'
      ? { edits: [{ op: 'delete', path }] }
      : { path, ...(tool === 'create_file' ? { content: '' } : { old_string: '', new_string: '' }) };
  const args = { ...content, repeat: false, ...place };
  const unknown = Object.keys(content).filter((name) => name !== 'path');
  return change === 'delete' ? { tool, args } : { tool, args, unknown };
}

/**
 * Gives the one command that a call types to a shell, as a call of its own; undefined for anything else. A second line
 * may go to the program that the first one starts, so several lines are no commands that a rule could allow.
 */
export function typedCommand(call: ToolCall): ToolCall | undefined {
  if (call.tool !== SEND_TOOL || call.args.program !== false) return undefined;
  const { text } = call.args;
  if (typeof text !== 'string' || call.args.keys !== undefined) return undefined;
  const [command = '', ...others] = linesOf(call);
  return others.length === 0 ? { tool: 'run_in_terminal', args: commandArgs(command, call) } : undefined;
}

/** Lists the lines that a call gives to a shell: at least one, so that a no to every command finds it. */
function linesOf({ tool, args }: ToolCall): readonly string[] {
  const text = tool === START_TOOL ? args.command : args.text;
  return typeof text === 'string' ? text.replace(/\n$/, '').split('\n') : [''];
}

function commandArgs(command: string, { args: { cwd, root } }: ToolCall): Part {
  return {
    ...{ command, repeat: false, timeout_seconds: 30 },
    ...(cwd === undefined ? {} : { cwd }),
    ...(root === undefined ? {} : { root }),
  };
}
