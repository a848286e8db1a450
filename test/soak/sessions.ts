import { readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Violation } from './history.ts';
import { canLookAtProcesses, environmentOf } from './processes.ts';
import type { Product } from './product.ts';

/** The variable by which the processes of a lasting terminal are known. */
export const SESSION = 'BOWLINE_SOAK_SESSION';
/** Far longer than it takes to end a process, on a busy computer too. */
const GONE_MS = 30_000;

/** The processes of a session that are still there after a while. */
export async function stillRunning(session: string): Promise<number[]> {
  for (const until = Date.now() + GONE_MS; ; await wait(100)) {
    const left = runningSessions().get(session) ?? [];
    if (left.length === 0 || Date.now() > until) return left;
  }
}

/** Looks for sessions that run and that the bridge of now knows nothing of: they outlived theirs. */
export async function outlived({ mark, runningTerminals }: Product): Promise<Violation[]> {
  let suspects: string[] | undefined;
  for (const until = Date.now() + GONE_MS; ; await wait(100)) {
    const running = [...runningSessions().keys()].filter((session) => session.startsWith(`${mark}/`));
    if (running.length === 0) return [];
    // One that is just starting is listed a moment later, so only what is found each time counts.
    const listed = new Set(await runningTerminals().catch(() => running.map(nameOf)));
    suspects = (suspects ?? running).filter((one) => running.includes(one) && !listed.has(nameOf(one)));
    if (suspects.length === 0) return [];
    if (Date.now() < until) continue;
    const what = `Lasting terminals outlived their bridge: ${suspects.map(nameOf).join(', ')}`;
    return [{ kind: 'process', what, at: Date.now() }];
  }
}

const nameOf = (session: string) => session.slice(session.indexOf('/') + 1);

/** All sessions with processes, with their numbers. */
function runningSessions(): Map<string, number[]> {
  const found = new Map<string, number[]>();
  if (!canLookAtProcesses) return found;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const variable = environmentOf(pid).find((one) => one.startsWith(`${SESSION}=`));
    if (variable === undefined) continue;
    const session = variable.slice(SESSION.length + 1);
    found.set(session, [...(found.get(session) ?? []), Number(pid)]);
  }
  return found;
}
