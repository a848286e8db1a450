import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { sep } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** A process that belongs to the run. */
export interface OwnProcess {
  readonly pid: number;
  readonly command: string;
  readonly rssBytes: number;
}

/** Only where the kernel shows what processes were started with, and where they are: Linux. */
export const canLookAtProcesses = process.platform === 'linux';

/** The variable by which everything that the product starts is known; what tools start has another environment. */
export const MARK = 'BOWLINE_SOAK';

/** What was started with the run's mark, or works in its folder, or names it; without this process. */
export function ownProcesses(mark: string, folder: string): OwnProcess[] {
  if (!canLookAtProcesses) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      const environment = environmentOf(name);
      const command = readProc(name, 'cmdline').replaceAll('\0', ' ').trim();
      const isOwn =
        environment.includes(`${MARK}=${mark}`) ||
        isBelow(workingFolder(name), folder) ||
        command.includes(folder);
      // One that has ended and was not waited for yet has no command any more.
      if (!isOwn || command === '') return [];
      const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(name, 'status'))?.[1];
      return [{ pid: Number(name), command, rssBytes: Number(kilobytes ?? 0) * 1_024 }];
    });
}

export type Side = 'gateway' | 'bridge';

/** What the command of each side's processes holds. */
const COMMANDS: Readonly<Record<Side, string>> = { gateway: 'workerd', bridge: 'bin.mjs connect' };

/** The memory of the two sides, each with what belongs to it. */
export const memoryOf = (processes: readonly OwnProcess[]) => bySide(processes, (all, one) => all + one);

/** The memory of the largest process of each side, which for a moment of a start may have two. */
export const largestOf = (processes: readonly OwnProcess[]) => bySide(processes, Math.max);

function bySide(
  processes: readonly OwnProcess[],
  both: (all: number, one: number) => number,
): Record<Side, number> {
  const of = (side: Side) =>
    processes
      .filter(({ command }) => command.includes(COMMANDS[side]))
      .reduce((bytes, { rssBytes }) => both(bytes, rssBytes), 0);
  return { gateway: of('gateway'), bridge: of('bridge') };
}

/** Far longer than the kernel takes to stop a process, on a busy computer too. */
const STOPPED_WITHIN_MS = 30_000;

/**
 * Does something while the processes of one side stand still: then their files do not change, and they hear of nothing.
 * They go on afterwards, whatever came of it.
 */
export async function whileStopped<T>(
  { mark, base }: { readonly mark: string; readonly base: string },
  side: Side,
  work: () => T | Promise<T>,
): Promise<T> {
  const own = ownProcesses(mark, base).filter(({ command }) => command.includes(COMMANDS[side]));
  try {
    for (const process of own) signal(process, 'SIGSTOP');
    for (const until = Date.now() + STOPPED_WITHIN_MS; !own.every(isStopped); await wait(5))
      if (Date.now() > until) throw new Error(`The ${side} did not stop in ${STOPPED_WITHIN_MS / 1_000} s`);
    return await work();
  } finally {
    for (const process of own) signal(process, 'SIGCONT');
  }
}

/** Whether each thread stands still: one that was in the middle of a system call ends it first. */
function isStopped({ pid }: OwnProcess): boolean {
  return threadsOf(pid).every((thread) => {
    const state = /^State:\s+(\S)/m.exec(readProc(`${pid}/task/${thread}`, 'status'))?.[1];
    // One that has ended changes nothing either.
    return state === undefined || 'TtZX'.includes(state);
  });
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Ends processes of the run at once. */
export function endAll(processes: readonly OwnProcess[]): void {
  for (const process of processes) signal(process, 'SIGKILL');
}

function signal({ pid }: OwnProcess, which: NodeJS.Signals): void {
  try {
    process.kill(pid, which);
  } catch {
    // It was quicker.
  }
}

/** The variables that a process was started with. */
export function environmentOf(pid: string): string[] {
  return readProc(pid, 'environ').split('\0');
}

function readProc(pid: string, what: string): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8');
  } catch {
    // It ended meanwhile, or is somebody else's.
    return '';
  }
}

function workingFolder(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}
