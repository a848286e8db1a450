import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { identityOf } from '../../workspace/held.ts';
import { SHELL_MARK } from './shell-command.ts';

/** A session's own shell, as the system's process table shows it. */
export interface ShellProcess {
  readonly pid: number;
  /** With `pid`, tells a process from a later one with the same number. */
  readonly started: string;
  /** True if it has the terminal for itself, so that no program stands in front of it. */
  readonly inFront: boolean;
}

/** Finds a session's shell right after its start, when it has started nothing yet. */
export function findShell(mark: string, top: number, shell: string): ShellProcess | undefined {
  if (process.platform === 'linux') {
    const marked = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(`${SHELL_MARK}=${mark}`))
      .flatMap((name) => fromProc(Number(name)) ?? []);
    const pids = new Set(marked.map(({ pid }) => pid));
    return marked.find(({ parent }) => !pids.has(parent));
  }
  const all = fromPs();
  let at = all.find(({ pid }) => pid === top);
  for (let child = at; child; child = all.find(({ parent }) => parent === child?.pid)) at = child;
  // The end of the chain is the shell, unless the sandbox has not started it yet.
  return at && basename(at.name).replace(/^-/, '') === basename(shell) ? at : undefined;
}

/** Looks at a shell again; undefined if it has ended. */
export function lookAgain({ pid, started }: ShellProcess): ShellProcess | undefined {
  const now = process.platform === 'linux' ? fromProc(pid) : fromPs(pid)[0];
  return now?.started === started ? now : undefined;
}

/** Gives the identity of the folder that a process is in; undefined if nobody can tell. */
export function folderOf(pid: number): string | undefined {
  try {
    const path = process.platform === 'linux' ? `/proc/${pid}/cwd/.` : folderByLsof(pid);
    return path === undefined ? undefined : identityOf(statSync(path, { bigint: true }));
  } catch {
    return undefined;
  }
}

interface Entry extends ShellProcess {
  readonly parent: number;
  readonly name: string;
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    // It has ended, or belongs to another user.
    return [];
  }
}

function fromProc(pid: number): Entry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name stands in parentheses and may hold any character, so count the fields from its end.
    const end = stat.lastIndexOf(')');
    const fields = stat.slice(end + 2).split(' ');
    const [state, parent, group, , , front] = fields;
    return {
      pid,
      parent: Number(parent),
      name: stat.slice(stat.indexOf('(') + 1, end),
      started: fields[19] ?? '',
      inFront: state === 'S' && group === front,
    };
  } catch {
    return undefined;
  }
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/;

function fromPs(only?: number): Entry[] {
  const which = only === undefined ? ['-ax'] : ['-p', String(only)];
  try {
    const table = execFileSync('ps', [...which, '-o', 'pid=,ppid=,pgid=,tpgid=,lstart=,comm='], {
      encoding: 'latin1',
      maxBuffer: 16 * 1024 * 1024,
    });
    return parsePs(table);
  } catch {
    return [];
  }
}

/** Reads the table of macOS's `ps`. */
export function parsePs(table: string): Entry[] {
  return table.split('\n').flatMap((line) => {
    const [, pid, parent, group, front, started, name] = PS_LINE.exec(line) ?? [];
    if (pid === undefined || started === undefined || name === undefined) return [];
    return [{ pid: Number(pid), parent: Number(parent), started, name, inFront: group === front }];
  });
}

function folderByLsof(pid: number): string | undefined {
  const said = execFileSync('lsof', ['-a', '-p', String(pid), '-d', 'cwd', '-Fn'], { encoding: 'utf8' });
  return said
    .split('\n')
    .find((line) => line.startsWith('n'))
    ?.slice(1);
}
