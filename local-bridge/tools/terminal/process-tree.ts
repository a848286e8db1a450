import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** One line of the system's process table. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** With `pid`, tells a process from a later one with the same number. */
  readonly started: string;
  readonly name: string;
  /** True if its environment has the run's mark. */
  readonly marked: boolean;
  /** True for the command itself and its descendants. A sandbox may have processes of its own around them. */
  readonly inner: boolean;
}

/** The marks of the processes of one command. */
export interface Run {
  readonly mark: string;
  /** The leader of the command's own session; unknown between registering and starting. */
  readonly pid?: number;
}

/** The variable that marks everything a command starts. */
export const MARK_NAME = 'TERMINAL_RUN';
/** The mark of the command itself, for a confinement with processes of its own between the bridge and the command. */
export const INNER_MARK = 'TERMINAL_COMMAND=1';

/** Lists every visible process of the machine that has not ended. */
export function listProcesses(mark: string): ProcessEntry[] {
  return process.platform === 'linux' ? fromProc(mark) : fromPs(mark);
}

/**
 * Finds a run's processes: those with the mark, those of its session, those known from before, and all their
 * descendants.
 */
export function membersOf(
  run: Run,
  all: readonly ProcessEntry[],
  known: ReadonlyMap<number, string> = new Map(),
  never: ReadonlySet<number> = new Set([process.pid]),
): ProcessEntry[] {
  const children = Map.groupBy(all, ({ parent }) => parent);
  const found = new Map<number, ProcessEntry>();
  const waiting = all.filter(
    (entry) =>
      entry.marked ||
      (run.pid !== undefined && (entry.pid === run.pid || entry.session === run.pid)) ||
      known.get(entry.pid) === entry.started,
  );
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    if (entry.pid <= 1 || never.has(entry.pid) || found.has(entry.pid)) continue;
    found.set(entry.pid, entry);
    waiting.push(...(children.get(entry.pid) ?? []));
  }
  return [...found.values()];
}

/** Signals those that still exist. */
export function signalEach(members: readonly ProcessEntry[], signal: NodeJS.Signals): void {
  for (const { pid } of members) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // The process is gone, or belongs to another user after a set-uid program. The caller looks again and reports
      // what is left.
      if (!hasCode(error, 'ESRCH') && !hasCode(error, 'EPERM')) throw error;
    }
  }
}

function fromProc(mark: string): ProcessEntry[] {
  const needle = `${MARK_NAME}=${mark}`;
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const stat = readOr(`/proc/${name}/stat`);
    // The name stands in parentheses and may hold any character, so count the fields from its end.
    const end = stat.lastIndexOf(')');
    const [state, parent, group, session, ...rest] = stat.slice(end + 2).split(' ');
    if (end < 0 || state === 'Z' || state === 'X') return [];
    const environment = readOr(`/proc/${name}/environ`).split('\0');
    return [
      {
        pid: Number(name),
        parent: Number(parent),
        group: Number(group),
        session: Number(session),
        started: rest[15] ?? '',
        name: stat.slice(stat.indexOf('(') + 1, end),
        marked: environment.includes(needle),
        inner: environment.includes(INNER_MARK),
      },
    ];
  });
}

/** Reads a file of a process that may end, or belong to another user, at any moment. */
function readOr(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].some((code) => hasCode(error, code))) return '';
    throw error;
  }
}

function fromPs(mark: string): ProcessEntry[] {
  const table = execFileSync('ps', ['-axww', '-E', '-o', 'pid=,ppid=,pgid=,sess=,stat=,lstart=,command='], {
    encoding: 'latin1',
    maxBuffer: 64 * 1024 * 1024,
  });
  return parsePs(table, mark);
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/;

/** Reads the table of macOS's `ps`. Its `sess` is an address and not a process id, so the group is used instead. */
export function parsePs(table: string, mark: string): ProcessEntry[] {
  return table.split('\n').flatMap((line) => {
    const [, pid, parent, group, , state, started, command] = PS_LINE.exec(line) ?? [];
    if (pid === undefined || state === undefined || command === undefined || state.startsWith('Z')) return [];
    const words = command.split(' ');
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        session: Number(group),
        started: started ?? '',
        name: words[0]?.split('/').at(-1) ?? '',
        marked: words.includes(`${MARK_NAME}=${mark}`),
        inner: words.includes(INNER_MARK),
      },
    ];
  });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
