import type { fileSearch, grepSearch } from '../../../contracts/find.ts';
import type { Refusal } from '../../../src/core/call.ts';
import type { Call, Handler } from '../../../src/core/handler.ts';
import { visibleLine } from '../../../src/core/visible.ts';
import type { MachineHandlers } from '../machine-handlers.ts';
import { findFiles } from '../search/find-files.ts';
import { parseGlob } from '../search/glob.ts';
import { type FoundLine, grepFiles, MAX_CONTEXT_LINES } from '../search/grep-files.ts';
import { MAX_DEPTH } from '../search/list-files.ts';
import type { SearchEnd } from '../search/ripgrep.ts';
import type { WarmLists } from '../search/warm-lists.ts';
import { isRefusal, type WorkspaceRefusal } from '../workspace/refusal.ts';
import type { Workspace } from '../workspace/workspace.ts';

interface FindPorts {
  readonly workspace: Workspace;
  /** Speeds up the next search of the same folder. Only worth it in a long-lived process. */
  readonly warm?: WarmLists;
  /** The time after which a search answers with what it has: 30 s, except in tests. */
  readonly searchMs?: number;
}

const MAX_FILES = 1_000;
const SEARCH_MS = 30_000;
const HAS_NUL = {
  message: 'The text has a NUL character in it. Files with one are binary, and a search skips them.',
  suggestion: 'Leave the NUL out.',
};
const TOO_DEEP = `Matches more than ${MAX_DEPTH} levels deep are not shown; search below a deeper \`base_path\``;
const CONTEXT_CUT = `Only the first matches have lines around them, ${MAX_CONTEXT_LINES} in all`;
const INCOMPLETE = 'Some files or directories could not be read and were skipped';

const searchFiles: Handler<typeof fileSearch, FindPorts> = async (input, call, ports) => {
  const { pattern, base_path } = input;
  const { workspace, searchMs = SEARCH_MS } = ports;
  const started = performance.now();
  const glob = globOf(pattern);
  if ('wrong' in glob)
    return call.fail('invalid_glob', `Invalid glob pattern ${quoted(pattern)}: ${glob.wrong}.`);
  const root = workspace.root(input.root);
  if (isRefusal(root)) return refused(root, call);
  const folder = workspace.folder(root, base_path);
  if (isRefusal(folder)) return refused(folder, call);
  try {
    const query = { root, folder, glob, limit: MAX_FILES, timeoutMs: searchMs, signal: call.signal };
    const { paths, total, end, isCutByDepth } = await findFiles(query, workspace, ports.warm);
    if (end.complaint !== undefined) {
      return call.fail('invalid_glob', `Invalid glob pattern ${quoted(pattern)}: ${end.complaint}.`);
    }
    const tooMany = total > paths.length && `Found ${total} matches, showing first ${paths.length}`;
    const warning = warningOf([tooMany, isCutByDepth && TOO_DEEP, endOf(end, searchMs)]);
    const headline = `Found ${count(total, 'file')} matching ${quoted(pattern)}`;
    return call.ok({
      success: true,
      output: listText(headline, warning, paths.map(oneLine)),
      files_affected: [],
      execution_time_ms: Math.round(performance.now() - started),
      metadata: {
        matches: total,
        pattern,
        files_returned: paths.length,
        truncated: total > paths.length || isCutByDepth || end.how !== 'done',
        ...(warning === undefined ? {} : { warning }),
      },
    });
  } finally {
    folder.close();
  }
};

const searchText: Handler<typeof grepSearch, FindPorts> = async (input, call, ports) => {
  const { pattern, is_regex, file_pattern, max_results, base_path = '.', context_lines = 0 } = input;
  const { workspace, searchMs = SEARCH_MS } = ports;
  const started = performance.now();
  if (pattern.includes('\0')) return call.fail('invalid_pattern', HAS_NUL);
  if (pattern.includes('\n')) return call.fail('invalid_pattern');
  const glob = file_pattern === undefined ? undefined : globOf(file_pattern);
  if (glob && 'wrong' in glob) {
    return call.fail('invalid_glob', `Invalid glob pattern ${quoted(file_pattern ?? '')}: ${glob.wrong}.`);
  }
  const root = workspace.root(input.root);
  if (isRefusal(root)) return refused(root, call);
  const folder = workspace.folder(root, base_path);
  if (isRefusal(folder)) return refused(folder, call);
  try {
    const { lines, context, isContextCut, more, filesSearched, end } = await grepFiles(
      {
        ...{ root, folder, pattern, isRegex: is_regex, glob },
        ...{ ignoreCase: input.ignore_case === true, context: context_lines },
        ...{ limit: max_results, timeoutMs: searchMs, signal: call.signal },
      },
      workspace,
    );
    if (end.complaint !== undefined) {
      return call.fail('invalid_regex', `Invalid regex pattern: ${end.complaint}.`);
    }
    const tooMany = more && `Found more than ${max_results} matches, showing ${lines.length} of them`;
    const warning = warningOf([tooMany, isContextCut && CONTEXT_CUT, endOf(end, searchMs)]);
    const headline = `Found ${count(lines.length, 'match', 'matches')} for ${quoted(pattern)}`;
    return call.ok({
      success: true,
      output: listText(headline, warning, withContext(lines, context)),
      files_affected: [],
      execution_time_ms: Math.round(performance.now() - started),
      metadata: {
        total_matches: lines.length,
        files_searched: filesSearched,
        pattern,
        truncated: more || end.how !== 'done',
        timed_out: end.how === 'timed_out',
        ...(warning === undefined ? {} : { warning }),
      },
    });
  } finally {
    folder.close();
  }
};

/** Handlers that find files, by name or by text. */
export const findHandlers = { file_search: searchFiles, grep_search: searchText } satisfies MachineHandlers;

function globOf(pattern: string): ReturnType<typeof parseGlob> {
  if (pattern.includes('\0')) return { wrong: 'it has a NUL character in it' };
  return pattern.includes('\n') ? { wrong: 'it has a line break in it' } : parseGlob(pattern);
}

/** Translates the workspace's refusal into the codes of a tool that searches folders. */
function refused(
  { code, message, suggestion }: WorkspaceRefusal,
  call: Call<typeof fileSearch> | Call<typeof grepSearch>,
): Refusal {
  const detail = { message, ...(suggestion === undefined ? {} : { suggestion }) };
  const { fail } = call as Call<typeof fileSearch>;
  if (code === 'not_found') return fail('directory_not_found', detail);
  return fail(code === 'not_a_file' ? 'not_a_directory' : code, detail);
}

function endOf({ how, incomplete }: SearchEnd, searchMs: number): string | false {
  if (how === 'timed_out') return `Search timed out after ${searchMs / 1_000}s, returning partial results`;
  return how === 'done' && incomplete && INCOMPLETE;
}

function warningOf(all: readonly (string | false)[]): string | undefined {
  const said = all.filter((warning) => warning !== false);
  return said.length > 0 ? said.join('. ') : undefined;
}

function listText(headline: string, warning: string | undefined, items: readonly string[]): string {
  const lines = [
    items.length > 0 ? `${headline}:` : headline,
    ...(warning === undefined ? [] : [`Warning: ${warning}`]),
    ...items.map((item) => `  ${item}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Writes a match as `path:line: text`, and a line beside one as `path-line- text`. */
function lineText({ path, line, text, cut }: FoundLine, mark: ':' | '-' = ':'): string {
  return `${oneLine(path)}${mark}${line}${mark} ${text}${cut ? ' [… cut]' : ''}`;
}

/** Puts the lines beside matches between them, each once, and a mark where lines are left out. */
function withContext(lines: readonly FoundLine[], context: readonly FoundLine[]): string[] {
  if (context.length === 0) return lines.map((each) => lineText(each));
  const nameOf = ({ path, line }: FoundLine) => `${line}/${path}`;
  const matching = new Set(lines.map(nameOf));
  const besides = new Map(context.map((each) => [nameOf(each), each] as const));
  const all = [...lines, ...[...besides.values()].filter((each) => !matching.has(nameOf(each)))];
  all.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
  return all.flatMap((each, i) => {
    const before = all[i - 1];
    const isNext = before === undefined || (before.path === each.path && before.line + 1 === each.line);
    return [...(isNext ? [] : ['--']), lineText(each, matching.has(nameOf(each)) ? ':' : '-')];
  });
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

function quoted(pattern: string): string {
  return `'${oneLine(pattern)}'`;
}

/** Puts a name on one line. Strangers choose names, and one must not look like a line of ours. */
function oneLine(text: string): string {
  return /^[ -~]{0,400}$/.test(text) ? text : visibleLine(text, 400);
}
