import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { procText, unlessGone } from './proc.ts';

/** Every process below one, by the kernel's own account. */
export function processesUnder(pid: number | undefined): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = procText(name, 'stat');
    if (stat !== undefined) parents.set(Number(name), Number(stat.split(') ')[1]?.split(' ')[1]));
  }
  const under = (id: number): number[] =>
    [...parents].filter(([, parent]) => parent === id).flatMap(([child]) => [child, ...under(child)]);
  return pid === undefined ? [] : under(pid);
}

/** The TCP ports that processes listen on, with the program of each. */
export function listeningPorts(pids: readonly number[]): { port: number; program: string }[] {
  const listening = new Map<string, number>();
  for (const table of ['tcp', 'tcp6']) {
    for (const line of readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      // 0A: the socket listens.
      if (state === '0A') listening.set(inode, Number.parseInt(local.split(':')[1] ?? '', 16));
    }
  }
  return pids.flatMap((pid) => {
    const program = procText(pid, 'comm')?.trim() ?? '';
    const files = unlessGone(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
    return files.flatMap((fd) => {
      const target = unlessGone(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? '';
      const port = listening.get(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? '');
      return port === undefined ? [] : [{ port, program }];
    });
  });
}
