import type { Root } from '../workspace/held.ts';
import type { Folder, Workspace } from '../workspace/workspace.ts';
import { lookAgain } from './found-files.ts';
import type { Glob } from './glob.ts';
import { confirmed, grepOutput, type PrintedLine, type ShownLine } from './grep-output.ts';
import { onlyNames } from './list-files.ts';
import { ripgrep, type SearchEnd } from './ripgrep.ts';

interface TextQuery {
  readonly root: Root;
  /** The root itself, held open. */
  readonly folder: Folder;
  readonly pattern: string;
  readonly isRegex: boolean;
  /** The pattern of the files to search; all files if left out. */
  readonly glob: Glob | undefined;
  readonly limit: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface FoundLine extends ShownLine {
  readonly path: string;
  readonly line: number;
}

interface FoundLines {
  /** Matches by path and line. */
  readonly lines: readonly FoundLine[];
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

/** Finds matching lines below a root, in text files that tools may read. */
export async function grepFiles(query: TextQuery, workspace: Workspace): Promise<FoundLines> {
  const { root, folder, glob, limit, timeoutMs, signal } = query;
  const lines: FoundLine[] = [];
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
      asked = { path, isWanted: (glob?.matches(path) ?? true) && workspace.isOpen(root, path, 'read') };
    }
    if (!asked.isWanted) return undefined;
    return confirmed(printed, again.read(path, offset, text.length + 1));
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
          lines.push({ path: printed.path, line: printed.line, ...line });
        }
        return 'more';
      },
    });
    const counted = /^(\d+) files searched$/m.exec(output.rest())?.[1];
    const found = lines
      .filter(({ path }) => !binary.has(path))
      .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
    return { lines: found, more, filesSearched: counted === undefined ? files.size : Number(counted), end };
  } finally {
    again.close();
  }
}

function grepArguments({ pattern, isRegex, glob }: TextQuery): string[] {
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
    ...onlyNames(glob?.names),
    ...[`--regexp=${pattern}`, '--', './'],
  ];
}
