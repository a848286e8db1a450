import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** One line of the system's process table. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** With `pid`, tells a process from a later one of the same number. */
  readonly started: string;
  readonly name: string;
  /** Whether it was started with the run's mark in its environment. */
  readonly marked: boolean;
  /** Whether it is the command itself or comes from it, where a sandbox has processes of its own around it. */
  readonly inner: boolean;
}

/** What identifies the processes of one command. */
export interface Run {
  readonly mark: string;
  /** Leader of the command's own session; unknown for the moment between registering and starting. */
  readonly pid?: number;
}

/** The variable that marks everything a command starts. */
export const MARK_NAME = 'TERMINAL_RUN';
/** Set by a confinement that puts processes of its own between the bridge and the command. */
export const INNER_MARK = 'TERMINAL_COMMAND=1';

/** Every process of the machine that can be seen, without those that have ended already. */
export function listProcesses(mark: string): ProcessEntry[] {
  return process.platform === 'linux' ? fromProc(mark) : fromPs(mark);
}

/** The processes that belong to a run: those marked, of its session, known from before, and all their descendants. */
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

/** Sends a signal to those that are still there. */
export function signalEach(members: readonly ProcessEntry[], signal: NodeJS.Signals): void {
  for (const { pid } of members) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // Gone meanwhile, or of another user after a set-uid program: the caller looks again and reports what is left.
      if (!hasCode(error, 'ESRCH') && !hasCode(error, 'EPERM')) throw error;
    }
  }
}

function fromProc(mark: string): ProcessEntry[] {
  const needle = `${MARK_NAME}=${mark}`;
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const stat = readOr(`/proc/${name}/stat`);
    // The name stands in parentheses and may hold any character, so the fields are counted from its end.
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

/** A file of a process that may end, or belong to somebody else, at any moment. */
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

/** Reads the table of macOS's `ps`, whose `sess` is an address and no process id: there the group stands in for it. */
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

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
