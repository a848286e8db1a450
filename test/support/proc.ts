import { readFileSync } from 'node:fs';

/** Gives what the kernel says about a process, or `undefined` if it is gone, which it may be at any moment. */
export function procText(pid: number | string, what: string): string | undefined {
  return unlessGone(() => readFileSync(`/proc/${pid}/${what}`, 'utf8'));
}

/** Tells whether a process runs. A zombie that waits for its parent to look does not. */
export function isRunning(pid: number): boolean {
  const stat = procText(pid, 'stat');
  return stat !== undefined && !/\) Z /.test(stat);
}

/** Gives `undefined` for what ended before the look or during it. */
export function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
