import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { onTestFinished } from 'vitest';

/** Notes each program that this process starts during a test. */
export function startedPrograms(): readonly ChildProcess[] {
  const programs: ChildProcess[] = [];
  const note = (told: unknown) => void programs.push((told as { process: ChildProcess }).process);
  subscribe('child_process', note);
  onTestFinished(() => void unsubscribe('child_process', note));
  return programs;
}
