import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { sep } from 'node:path';

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
      const environment = readProc(name, 'environ').split('\0');
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

/** The memory of the two sides, each with what belongs to it. */
export function memoryOf(processes: readonly OwnProcess[]): { gateway: number; bridge: number } {
  const sum = (isOf: (command: string) => boolean) =>
    processes.filter(({ command }) => isOf(command)).reduce((bytes, { rssBytes }) => bytes + rssBytes, 0);
  return {
    gateway: sum((command) => command.includes('workerd')),
    bridge: sum((command) => command.includes('bin.mjs connect')),
  };
}

/** Ends processes of the run at once. */
export function endAll(processes: readonly OwnProcess[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It was quicker.
    }
  }
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
