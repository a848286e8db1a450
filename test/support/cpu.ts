import { readFileSync } from 'node:fs';
import { processesUnder } from './listening.ts';
import { unlessGone } from './proc.ts';

/** The processes of a program below another process. */
export function programsUnder(pid: number | undefined, program: string): number[] {
  return processesUnder(pid).filter((one) =>
    unlessGone(() => statOf(one))?.startsWith(`${one} (${program}) `),
  );
}

/** How long a process has been on a processor so far, in hundredths of a second. */
export function cpuTicks(pid: number): number {
  const [, fields = ''] = statOf(pid).split(') ');
  const [user, system] = fields.split(' ').slice(11, 13);
  return Number(user) + Number(system);
}

const statOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8');
