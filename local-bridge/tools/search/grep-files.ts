import type { Root } from '../workspace/held.ts';
import type { Folder, Workspace } from '../workspace/workspace.ts';
import { linesAround } from './context-lines.ts';
import { lookAgain } from './found-files.ts';
import type { Glob } from './glob.ts';
import { confirmed, grepOutput, type PrintedLine, type ShownLine } from './grep-output.ts';
import { onlyNames } from './list-files.ts';
import { ripgrep, type SearchEnd } from './ripgrep.ts';

interface TextQuery {
  readonly root: Root;
  /** The folder to search, held open. The pattern of files matches paths from here. */
  readonly folder: Folder;
  readonly pattern: string;
  readonly isRegex: boolean;
  readonly ignoreCase: boolean;
  /** The number of lines to show before and after each match. */
  readonly context: number;
  /** The pattern of the files to search; all files if left out. */
  readonly glob: Glob | undefined;
  readonly limit: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface FoundLine extends ShownLine {
  /** The path from the root. */
  readonly path: string;
  readonly line: number;
}

interface FoundLines {
  /** Matches by path and line. */
  readonly lines: readonly FoundLine[];
  /** Lines beside them; some may match as well. */
  readonly context: readonly FoundLine[];
  /** True if only the first matches have lines beside them. */
  readonly isContextCut: boolean;
  /** True if there was at least one more match. */
  readonly more: boolean;
  /** The number of searched files; a lower bound if the search was cut short. */
  readonly filesSearched: number;
  readonly end: SearchEnd;
}

/**
 * The length at which to cut lines, because minified files have lines of megabytes. Ripgrep counts a line's end as
 * one column.
 */
const MAX_COLUMNS = 500;
/** The most lines beside matches. */
export const MAX_CONTEXT_LINES = 2_000;

/** Finds matching lines below a root, in text files that tools may read. */
export async function grepFiles(query: TextQuery, workspace: Workspace): Promise<FoundLines> {
  const { root, folder, glob, limit, context, timeoutMs, signal } = query;
  const prefix = folder.relative === '.' ? '' : `${folder.relative}/`;
  const lines: FoundLine[] = [];
  const beside: FoundLine[] = [];
  let isContextCut = false;
  const files = new Set<string>();
  let more = false;
  // A file that proves to be binary after a match does not count as searched.
  const binary = new Set<string>();
  const output = grepOutput((path) => binary.add(path));
  const again = lookAgain(root, workspace);
  // The lines of a file come one after the other.
  let asked: { readonly path: string; readonly isWanted: boolean } | undefined;
  const shown = (printed: PrintedLine): ShownLine | undefined => {
    const { path, offset, text } = printed;
    if (asked?.path !== path) {
      asked = {
        path,
        isWanted: (glob?.matches(path) ?? true) && workspace.isOpen(root, prefix + path, 'read'),
      };
    }
    if (!asked.isWanted) return undefined;
    return confirmed(printed, again.read(prefix + path, offset, text.length + 1));
  };
  const addContext = ({ path, line, offset }: PrintedLine) => {
    if (context === 0) return;
    if (beside.length + context * 2 > MAX_CONTEXT_LINES) {
      isContextCut = true;
      return;
    }
    const from = prefix + path;
    const { before, after } = linesAround((start, bytes) => again.read(from, start, bytes), offset, context);
    const first = line - before.length;
    for (const [i, each] of before.entries()) beside.push({ path: from, line: first + i, ...each });
    for (const [i, each] of after.entries()) beside.push({ path: from, line: line + 1 + i, ...each });
  };
  try {
    const end = await ripgrep({
      folder,
      args: grepArguments(query),
      timeoutMs,
      signal,
      onOutput: (chunk) => {
        for (const printed of output.take(chunk)) {
          files.add(printed.path);
          const line = shown(printed);
          if (!line) continue;
          if (lines.length === limit) {
            more = true;
            return 'stop';
          }
          lines.push({ path: prefix + printed.path, line: printed.line, ...line });
          addContext(printed);
        }
        return 'more';
      },
    });
    const isBinary = (path: string) => binary.has(path.slice(prefix.length));
    const counted = /^(\d+) files searched$/m.exec(output.rest())?.[1];
    const found = lines
      .filter(({ path }) => !isBinary(path))
      .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
    return {
      lines: found,
      context: beside.filter(({ path }) => !isBinary(path)),
      isContextCut,
      more,
      filesSearched: counted === undefined ? files.size : Number(counted),
      end,
    };
  } finally {
    again.close();
  }
}

function grepArguments({ pattern, isRegex, ignoreCase, glob }: TextQuery): string[] {
  return [
    ...['--null', '--line-number', '--byte-offset', '--with-filename', '--no-heading', '--crlf', '--stats'],
    // Ripgrep loads a whole line into memory, so limit a file's size.
    ...[
      '--max-filesize=50M',
      `--max-columns=${MAX_COLUMNS + 1}`,
      '--max-columns-preview',
      '--engine=default',
    ],
    ...(isRegex ? [] : ['--fixed-strings']),
    ...(ignoreCase ? ['--ignore-case'] : []),
    ...onlyNames(glob?.names),
    ...[`--regexp=${pattern}`, '--', './'],
  ];
}
