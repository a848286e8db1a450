import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_SESSIONS } from '../../../../contracts/terminal-session-fields.ts';
import type { Clock } from '../../../../src/core/clock.ts';
import type { Terminal } from '../terminal.ts';
import { openMeter } from './meter.ts';
import { openRing } from './ring.ts';
import { openSession, type Session } from './session.ts';

/** A session that nobody reads or types to for so long is ended. */
export const IDLE_MS = 3_600_000;
/** The ended sessions that stay readable. */
const MAX_ENDED = 8;
const LOOK_EVERY_MS = 60_000;

/** The order for a new session. */
interface SessionOrder {
  readonly name: string;
  readonly principal: string;
  readonly command: string | undefined;
  /** The id of the call that starts it. */
  readonly startedBy: string;
  /** The folder, for people. */
  readonly folder: string;
  inFolder<T>(work: (here: string) => T): T;
}

/** The reason why a session does not start. */
interface NoSession {
  readonly code: 'terminal_off' | 'no_lasting_terminal' | 'session_exists' | 'too_many_sessions';
  readonly why: string;
}

/** The lasting terminals of a machine. */
export interface Sessions {
  /** Says why a session would not start now; undefined if it would. */
  whyNot(principal: string, name: string): Promise<NoSession | undefined>;
  start(order: SessionOrder): Promise<Session | NoSession>;
  /** Gives a session of a caller's own. Nobody finds another's. */
  find(principal: string, name: string): Session | undefined;
  list(principal: string): readonly Session[];
  close(): Promise<void>;
}

export function isNoSession(value: Session | NoSession): value is NoSession {
  return 'why' in value;
}

/** Opens the lasting terminals. Their output is below `home`, which no command may read. */
export function openSessions(
  { home, staysOpen = true }: { readonly home: string; readonly staysOpen?: boolean },
  { terminal, clock }: { readonly terminal: Pick<Terminal, 'start' | 'whyNoSession'>; readonly clock: Clock },
  idleMs = IDLE_MS,
): Sessions {
  const all = join(home, 'terminals');
  const folder = join(all, `${process.pid}-${randomBytes(6).toString('hex')}`);
  sweep(all);
  const meter = openMeter();
  const sessions = new Map<string, Session>();
  /** Names of sessions that are just starting. */
  const starting = new Set<string>();
  let closed = false;

  const keyOf = (principal: string, name: string) => JSON.stringify([principal, name]);
  const running = () => [...sessions.values()].filter((one) => one.running).length;
  /** Checks what can change while others start, so nothing may come between this and the start. */
  const whyFull = (principal: string, name: string): NoSession | undefined => {
    const key = keyOf(principal, name);
    if (!staysOpen || closed) return { code: 'no_lasting_terminal', why: ENDS };
    if (sessions.get(key)?.running || starting.has(key))
      return { code: 'session_exists', why: `A session '${name}' of yours runs already.` };
    if (running() + starting.size >= MAX_SESSIONS)
      return { code: 'too_many_sessions', why: `The machine already runs ${MAX_SESSIONS} sessions.` };
    return undefined;
  };
  const whyNot = async (principal: string, name: string) =>
    (await terminal.whyNoSession()) ?? whyFull(principal, name);
  const forgetOld = () => {
    const ended = [...sessions].filter(([, one]) => !one.running);
    for (const [key, one] of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) {
      one.forget();
      sessions.delete(key);
    }
  };
  const timer = setInterval(
    () => {
      for (const one of sessions.values()) {
        if (one.running && performance.now() - one.usedAt > idleMs) void one.stop();
        else void one.look().catch(() => undefined);
      }
    },
    Math.min(LOOK_EVERY_MS, idleMs),
  );
  timer.unref();

  return {
    whyNot,
    start: async ({ name, principal, command, startedBy, folder: where, inFolder }) => {
      const refused = (await terminal.whyNoSession()) ?? whyFull(principal, name);
      if (refused) return refused;
      const key = keyOf(principal, name);
      starting.add(key);
      sessions.get(key)?.forget();
      sessions.delete(key);
      const ring = openRing(join(folder, randomBytes(8).toString('hex')));
      try {
        const session = await openSession({
          ...{ name, principal, command, startedBy, folder: where, startedAt: clock.now(), ring, meter },
          start: async (onData) => {
            const lasting = await terminal.start({
              ...(command === undefined ? {} : { command }),
              inFolder,
              onData,
            });
            if ('code' in lasting) throw new Refused(lasting);
            return lasting;
          },
        });
        sessions.set(key, session);
        if (closed) await session.stop();
        forgetOld();
        return session;
      } catch (error) {
        ring.close();
        if (error instanceof Refused) return error.reason;
        throw error;
      } finally {
        starting.delete(key);
      }
    },
    find: (principal, name) => {
      const found = sessions.get(keyOf(principal, name));
      if (found) found.usedAt = performance.now();
      return found;
    },
    list: (principal) => [...sessions.values()].filter((one) => one.principal === principal),
    close: async () => {
      closed = true;
      clearInterval(timer);
      await Promise.all(Array.from(sessions.values(), (one) => one.stop()));
      for (const one of sessions.values()) one.forget();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const ENDS = 'This program ends after the call, and its terminals with it.';

class Refused extends Error {
  readonly reason: NoSession;

  constructor(reason: NoSession) {
    super(reason.why);
    this.reason = reason;
  }
}

/** Removes what bridges left that were killed. */
function sweep(all: string): void {
  mkdirSync(all, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(all)) {
    const pid = Number(/^(\d+)-/.exec(name)?.[1]);
    if (!isAlive(pid)) rmSync(join(all, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
